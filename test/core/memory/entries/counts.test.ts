import { describe, expect, it } from 'vitest';
import { readCounts } from '../../../../src/core/memory/entries/counts.ts';

const VITEST = `\x1b[2m Test Files \x1b[22m \x1b[1m\x1b[31m1 failed\x1b[39m\x1b[22m\x1b[90m (1)\x1b[39m
\x1b[2m      Tests \x1b[22m \x1b[1m\x1b[31m1 failed\x1b[39m\x1b[22m\x1b[2m | \x1b[22m\x1b[1m\x1b[32m1 passed\x1b[39m\x1b[22m\x1b[2m | \x1b[22m\x1b[33m1 skipped\x1b[39m\x1b[2m | \x1b[22m\x1b[90m1 todo\x1b[39m\x1b[90m (4)\x1b[39m
\x1b[2m   Start at \x1b[22m 06:51:51
\x1b[2m   Duration \x1b[22m 215ms
`;
const NODE = ['tests 5', 'suites 0', 'pass 2', 'fail 1', 'cancelled 0', 'skipped 1', 'todo 1', 'duration_ms 103.13'];
const GO_VERBOSE = `=== RUN   TestA
=== RUN   TestA/part
--- PASS: TestA (0.00s)
    --- PASS: TestA/part (0.00s)
=== RUN   TestB
    b_test.go:9: wrong
--- FAIL: TestB (0.00s)
=== RUN   TestC
--- SKIP: TestC (0.00s)
FAIL
FAIL\texample.org/a\t0.004s
FAIL
`;

describe('counts of test runs', () => {
  it.each([
    { name: 'vitest in colour', output: VITEST, counts: { passed: 1, failed: 1, skipped: 1 } },
    {
      name: 'jest',
      output:
        'Test Suites: 1 failed, 2 passed, 3 total\nTests:       1 failed, 2 skipped, 5 passed, 8 total\nTime:        1.5 s\n',
      counts: { passed: 5, failed: 1, skipped: 2 },
    },
    {
      name: 'mocha',
      output: '\n\n  5 passing (12ms)\n  1 pending\n  2 failing\n\n  1) a\n',
      counts: { passed: 5, failed: 2, skipped: 1 },
    },
    {
      name: 'node, spec',
      output: NODE.map((line) => `ℹ ${line}\n`).join(''),
      counts: { passed: 2, failed: 1, skipped: 1 },
    },
    {
      name: 'node, tap',
      output: NODE.map((line) => `# ${line}\n`).join(''),
      counts: { passed: 2, failed: 1, skipped: 1 },
    },
    {
      name: 'bun',
      output: '\n 570 pass\n 2 skip\n 3 fail\n 1012 expect() calls\nRan 575 tests across 25 files. [4.32s]\n',
      counts: { passed: 570, failed: 3, skipped: 2 },
    },
    {
      name: 'deno',
      output: '\nFAILED | 4 passed (2 steps) | 1 failed | 1 ignored (10ms)\n',
      counts: { passed: 4, failed: 1, skipped: 1 },
    },
    {
      name: 'pytest',
      output: '=========== 1 failed, 5 passed, 2 skipped, 3 warnings, 1 error in 65.43s (0:01:05) ===========\n',
      counts: { passed: 5, failed: 1, skipped: 2, warnings: 3, errors: 1 },
    },
    { name: 'pytest -q', output: '..\n2 passed in 0.12s\n', counts: { passed: 2 } },
    {
      name: 'unittest',
      output: '-----\nRan 6 tests in 0.001s\n\nFAILED (failures=1, errors=2, skipped=1, expected failures=1)\n',
      counts: { passed: 2, failed: 1, errors: 2, skipped: 1 },
    },
    { name: 'unittest, all well', output: '-----\nRan 3 tests in 0.001s\n\nOK\n', counts: { passed: 3 } },
    {
      name: 'go, packages',
      output: `ok  \ta/b\t0.01s\nok  \ta/c\t(cached)\n?   \ta/d\t[no test files]\nok  \ta/e\t0.1s [no tests to run]\n--- FAIL: TestB (0.00s)\nFAIL\nFAIL\ta/f\t0.1s\nFAIL\ta/g [build failed]\nFAIL\n`,
      counts: { passed: 2, failed: 2 },
    },
    { name: 'go -v', output: GO_VERBOSE, counts: { passed: 1, failed: 1, skipped: 1 } },
    {
      name: 'cargo, several binaries',
      output: `\ntest result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n${' '.repeat(3_000)}\ntest result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n`,
      counts: { passed: 7, failed: 1, skipped: 1 },
    },
    {
      name: 'nextest',
      output: '     Summary [   0.012s] 5 tests run: 4 passed, 1 failed, 0 skipped\n',
      counts: { passed: 4, failed: 1, skipped: 0 },
    },
    {
      name: 'rspec',
      output: 'Finished in 0.1 seconds\n5 examples, 1 failure, 2 pending\n\nFailed examples:\n',
      counts: { passed: 2, failed: 1, skipped: 2 },
    },
    {
      name: 'minitest',
      output: '5 runs, 10 assertions, 1 failures, 1 errors, 0 skips\n',
      counts: { passed: 3, failed: 1, errors: 1, skipped: 0 },
    },
    { name: 'phpunit, all well', output: 'OK (5 tests, 10 assertions)\n', counts: { passed: 5 } },
    {
      name: 'phpunit',
      output: 'FAILURES!\nTests: 5, Assertions: 10, Failures: 1, Skipped: 1.\n',
      counts: { passed: 3, failed: 1, skipped: 1 },
    },
    {
      name: 'dotnet test, two assemblies',
      output:
        'Passed!  - Failed:     0, Passed:     5, Skipped:     0, Total:     5, Duration: 12 ms - A.dll (net8.0)\nFailed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: 12 ms - B.dll (net8.0)\n',
      counts: { passed: 7, failed: 1, skipped: 0 },
    },
    {
      name: 'dotnet test, new',
      output: 'Test summary: total: 5, failed: 1, succeeded: 4, skipped: 0, duration: 1.2s\n',
      counts: { passed: 4, failed: 1, skipped: 0 },
    },
    {
      name: 'maven',
      output:
        '[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in a.BTest\n[INFO] \n[INFO] Results:\n[INFO] \n[ERROR] Tests run: 5, Failures: 1, Errors: 1, Skipped: 1\n[INFO] \n[INFO] BUILD FAILURE\n',
      counts: { passed: 2, failed: 1, errors: 1, skipped: 1 },
    },
    {
      name: 'gradle',
      output: '\n5 tests completed, 1 failed, 2 skipped\n\n> Task :test FAILED\n',
      counts: { passed: 2, failed: 1, skipped: 2 },
    },
    {
      name: 'ctest',
      output: '\n90% tests passed, 1 tests failed out of 10\n\nTotal Test time (real) =   0.10 sec\n',
      counts: { passed: 9, failed: 1 },
    },
  ])('$name', ({ output, counts }) => {
    expect(readCounts(output)).toEqual(counts);
  });
});

describe('counts of builds', () => {
  it.each([
    {
      name: 'tsc',
      output: '\n\nFound 2 errors in the same file, starting at: x.ts\x1b[90m:1\x1b[0m\n\n',
      counts: { errors: 2 },
    },
    {
      name: 'tsc, several files',
      output: 'Found 3 errors in 2 files.\n\nErrors  Files\n     1  a.ts:1\n',
      counts: { errors: 3 },
    },
    {
      name: 'mypy',
      output: 'a.py:1: error: No\nFound 3 errors in 2 files (checked 10 source files)\n',
      counts: { errors: 3 },
    },
    {
      name: 'biome',
      output: 'Checked 1 file in 4ms. No fixes applied.\nFound 2 errors.\nFound 3 warnings.\n',
      counts: { errors: 2, warnings: 3 },
    },
    { name: 'ruff', output: 'Found 3 errors (1 fixed, 2 remaining).\n', counts: { errors: 2 } },
    { name: 'eslint', output: '\n✖ 12 problems (10 errors, 2 warnings)\n', counts: { errors: 10, warnings: 2 } },
    {
      name: 'cargo',
      output:
        'warning: `a` (lib) generated 2 warnings (run `cargo fix --lib -p a` to apply 1 suggestion)\nerror: could not compile `b` (bin "b") due to 2 previous errors; 1 warning emitted\n',
      counts: { errors: 2, warnings: 3 },
    },
    {
      name: 'clang',
      output: '1 warning and 2 errors generated.\nmake: *** [a.o] Error 1\n3 warnings generated.\n',
      counts: { errors: 2, warnings: 4 },
    },
    {
      name: 'esbuild',
      output: '✘ [ERROR] Unexpected end of file\n\n    y.ts:2:0:\n\n1 error\n',
      counts: { errors: 1 },
    },
    {
      name: 'webpack',
      output: 'webpack 5.88.0 compiled with 2 errors and 1 warning in 123 ms\n',
      counts: { errors: 2, warnings: 1 },
    },
    {
      name: 'dotnet build',
      output: 'Build FAILED.\n    2 Warning(s)\n    1 Error(s)\n',
      counts: { errors: 1, warnings: 2 },
    },
    { name: 'golangci-lint', output: '5 issues:\n* errcheck: 3\n* revive: 2\n', counts: { errors: 5 } },
    { name: 'golangci-lint, clean', output: '0 issues.\n', counts: { errors: 0 } },
    { name: 'a linter and then tests', output: '0 issues.\nok  \ta/b\t0.01s\n', counts: { errors: 0, passed: 1 } },
  ])('$name', ({ output, counts }) => {
    expect(readCounts(output)).toEqual(counts);
  });
});

describe('what is no run, or not certain', () => {
  it.each([
    { name: 'nothing', output: '' },
    {
      name: 'prose',
      output:
        '2 passed away, 3 failed to notice. Tests: none. We found 3 errors in the text.\n5 tests were run and 2 failed.',
    },
    {
      name: 'a search that quotes',
      output:
        'a.log:12:Tests:       1 failed, 5 passed, 6 total\na.log-13-ok  \ta/b\t0.1s\na.log:14:2 passed in 0.12s\n',
    },
    {
      name: 'numbered lines',
      output: '     1\ttest result: ok. 5 passed; 0 failed; 0 ignored; 0 measured\n     2\t0 issues.\n',
    },
    {
      name: 'git log',
      output:
        'commit 1234567\n\n    Tests  5 passed (5)\n    5 passing (3ms)\n    2 passed in 0.12s\n    Found 2 errors.\n',
    },
    { name: 'code', output: "expect(out).toContain('5 passed');\n  console.log(`Tests: 4 passed, 5 total`)\n" },
    { name: 'figures far from the end', output: `2 passed in 0.12s\n${'x\n'.repeat(1_500)}` },
    {
      name: 'go -v, the head cut off',
      output: '--- PASS: TestA (0.00s)\n=== RUN   TestB\n--- PASS: TestB (0.00s)\nok  \ta/b\t0.01s\n',
    },
    { name: 'go -v, the tail cut off', output: '=== RUN   TestB\n--- PASS: TestB (0.00s)\n' },
    { name: 'go, the package that failed cut off', output: 'ok  \ta/b\t0.01s\nFAIL\n' },
    { name: 'one package without tests', output: 'ok  \ta/b\t0.01s [no tests to run]\n' },
  ])('$name', ({ output }) => {
    expect(readCounts(output)).toBeUndefined();
  });
});

it.each([
  { name: 'digits', output: '1 '.repeat(50_000) },
  { name: 'blanks', output: `5 passed${' '.repeat(100_000)}` },
  { name: 'pairs', output: `Tests  ${'5 passed | '.repeat(20_000)}` },
  { name: 'escapes', output: '\x1b[1m'.repeat(50_000) },
])('finds in many $name what their end says', ({ output }) => {
  expect(readCounts(output)).toEqual(readCounts(output.slice(-50_000)));
});

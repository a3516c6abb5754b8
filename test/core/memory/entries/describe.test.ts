import { describe, expect, it } from 'vitest';
import { describeResult } from '../../../../src/core/memory/call-summary/describe-call.ts';

const GO = `Exit code 1
=== RUN   TestListSessions
    session_test.go:231: ListSessions() returned 1 sessions, want 2
--- FAIL: TestListSessions (0.03s)
FAIL
FAIL	example.org/app/cli	0.342s
ok  	example.org/app/paths	(cached)
FAIL`;

const VITEST = ` FAIL  test/cart.test.ts > totals > adds 3 items
AssertionError: expected 41 to be 42
 ❯ test/cart.test.ts:17:20
 Test Files  1 failed (1)
      Tests  1 failed | 3 passed (4)
   Duration  1.21s`;

const PYTEST = `Exit code 1
/home/ann/app/tests/test_a.py:12: AssertionError
=========================== short test summary info ============================
FAILED tests/test_a.py::test_total - AssertionError: assert 3 == 4
========================= 1 failed, 4 passed in 0.12s =========================`;

const TSC = `Exit code 2
src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.`;

function errorIn(text: string, tool = 'Bash'): string {
  return describeResult(tool, 'failed', text);
}

describe('the line that names the error', () => {
  it.each([
    { name: 'a Go test', text: GO, line: 'session_test.go:231: ListSessions() returned 1 sessions, want 2' },
    { name: 'a Vitest test', text: VITEST, line: 'FAIL  test/cart.test.ts > totals > adds 3 items' },
    { name: 'a pytest test', text: PYTEST, line: '/home/ann/app/tests/test_a.py:12: AssertionError' },
    {
      name: 'a compiler',
      text: TSC,
      line: "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.",
    },
    { name: 'colours', text: '\u001b[31mError:\u001b[0m no such host', line: 'Error: no such host' },
    { name: 'no line that is known to name an error', text: 'Exit code 1\none\ntwo\nthree\nfour\n', line: 'two' },
    {
      name: 'words of failure where no line has the form of an error',
      text: 'Exit code 7\nconnecting\ncurl: could not resolve host\nbye',
      line: 'curl: could not resolve host',
    },
    {
      name: 'words that any failed run ends with',
      text: 'npm ERR! code ELIFECYCLE\nReferenceError: foo is not defined\nmake: *** [Makefile:3: test] Error 1',
      line: 'ReferenceError: foo is not defined',
    },
    { name: 'an exit code alone', text: 'Exit code 1', line: 'Exit code 1' },
    { name: 'white space', text: ' \n\t\n', line: '' },
  ])('$name', ({ text, line }) => {
    expect(errorIn(text)).toBe(line);
  });

  it("is the first line of claude's own tools, not the quoted input", () => {
    const text = '<tool_use_error>String to replace not found in file.\nString: Error: boom</tool_use_error>';
    expect(errorIn(text, 'Edit')).toBe('String to replace not found in file.');
  });

  it('is found only near the ends of a long text', () => {
    const noise = 'a line of noise\n'.repeat(1_000);
    expect(errorIn(`${noise}Error: in the middle\n${noise}Error: last`)).toBe('Error: last');
  });

  it.each([
    { name: 'digits', text: '1'.repeat(100_000) },
    { name: 'slashes', text: 'a/'.repeat(50_000) },
    { name: 'spaces', text: `Error:${' '.repeat(100_000)}x` },
    { name: 'colons', text: `Error ${'a:1:'.repeat(25_000)}` },
    { name: 'line feeds', text: '\n'.repeat(100_000) },
  ])('stays short with many $name', ({ text }) => {
    expect(errorIn(text).length).toBeLessThanOrEqual(2_000);
  });
});

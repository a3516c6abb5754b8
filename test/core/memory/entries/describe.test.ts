import { describe, expect, it } from 'vitest';
import { errorLine, errorSignature } from '../../../../src/core/memory/entries/describe.ts';

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

describe('errorSignature', () => {
  it.each([
    {
      name: 'a Go test: its name, its file and its words',
      text: GO,
      signature:
        'session_test.go:N: ListSessions() returned N sessions, want N | --- FAIL: TestListSessions | FAIL example.org/app/cli',
    },
    {
      name: 'a Vitest test, whose name holds a number',
      text: VITEST,
      signature: 'FAIL cart.test.ts > totals > adds 3 items | AssertionError: expected N to be N',
    },
    {
      name: 'a pytest test',
      text: PYTEST,
      signature: 'test_a.py:N: AssertionError | FAILED test_a.py::test_total - AssertionError: assert 3 == 4',
    },
    {
      name: 'a compiler: the number of the error stays, the place goes',
      text: TSC,
      signature: "a.ts(N): error TS2322: Type 'string' is not assignable to type 'number'.",
    },
    {
      name: 'ids, times and addresses',
      text: 'Error: job 4f9c2d1e-0c2b-4f7e-9a51-0242ac120002 at 2026-01-27T10:11:12.345Z: 0x7ffe12 in build 9fceb02d0ae598e95dc970b74767f19372d61af8',
      signature: 'Error: job <id> at <time>: <hex> in build <hex>',
    },
    {
      name: 'folders, of which the last part stays',
      text: "cp: cannot stat '/home/ann/app/src/config.json': No such file or directory",
      signature: "cp: cannot stat 'config.json': No such file or directory",
    },
    { name: 'colours', text: '\u001b[31mError:\u001b[0m no such host', signature: 'Error: no such host' },
    {
      name: 'nothing that is known to name an error: the last lines',
      text: 'Exit code 1\none\ntwo\nthree\nfour\n',
      signature: 'two | three | four',
    },
    {
      name: 'words of failure where no line has the form of an error',
      text: 'Exit code 7\nconnecting\ncurl: could not resolve host\nbye',
      signature: 'curl: could not resolve host',
    },
    {
      name: 'words that any failed run ends with do not count',
      text: 'npm ERR! code ELIFECYCLE\nReferenceError: foo is not defined\nmake: *** [Makefile:3: test] Error 1',
      signature: 'ReferenceError: foo is not defined',
    },
  ])('$name', ({ text, signature }) => {
    expect(errorSignature('Bash', text)).toBe(signature);
  });

  it("uses the first line of claude's own tools, not the quoted input", () => {
    const text = '<tool_use_error>String to replace not found in file.\nString: Error: boom</tool_use_error>';
    expect(errorSignature('Edit', text)).toBe('String to replace not found in file.');
  });

  it.each([
    { name: 'an empty text', text: '' },
    { name: 'white space', text: ' \n\t\n' },
    { name: 'an exit code', text: 'Exit code 1' },
    { name: 'an exit code and the end of make', text: 'Exit code 2\nmake: *** [Makefile:3: test] Error 1\n' },
    { name: 'the word FAIL', text: 'Exit code 1\nFAIL\n' },
  ])('is undefined for $name', ({ text }) => {
    expect(errorSignature('Bash', text)).toBeUndefined();
  });

  it.each([
    { name: 'durations', one: GO, other: GO.replace('0.03s', '1.40s').replace('0.342s', '12.3s') },
    { name: 'lines', one: GO, other: GO.replace('231', '240') },
    { name: 'folders', one: PYTEST, other: PYTEST.replaceAll('/home/ann', '/srv/ci/7') },
    { name: 'hashes', one: 'fatal: bad object 9fceb02', other: 'fatal: bad object 1a2b3c4' },
  ])('is equal for runs that differ in $name', ({ one, other }) => {
    expect(errorSignature('Bash', one)).toBe(errorSignature('Bash', other));
  });

  it.each([
    { name: 'the name of the test', one: GO, other: GO.replaceAll('TestListSessions', 'TestListCommits') },
    { name: 'a number in the name of the test', one: VITEST, other: VITEST.replace('adds 3 items', 'adds 4 items') },
    { name: 'the file', one: TSC, other: TSC.replace('src/a.ts', 'src/b.ts') },
    { name: 'a quoted name', one: TSC, other: TSC.replace("'string'", "'boolean'") },
    { name: 'the number of the error', one: TSC, other: TSC.replace('TS2322', 'TS2345') },
  ])('differs by $name', ({ one, other }) => {
    expect(errorSignature('Bash', one)).not.toBe(errorSignature('Bash', other));
  });

  it('reads only both ends of a long text, without partial lines', () => {
    const noise = 'a line of noise\n'.repeat(1_000);
    const hidden = `Error: first\n${noise}Error: in the middle\n${noise}Error: last`;
    expect(errorSignature('Bash', hidden)).toBe('Error: first | Error: last');
    expect(errorSignature('Bash', `x${'y'.repeat(10_000)} Error: z`)?.length).toBeLessThan(500);
  });

  it.each([
    { name: 'digits', text: '1'.repeat(100_000) },
    { name: 'slashes', text: 'a/'.repeat(50_000) },
    { name: 'spaces', text: `Error:${' '.repeat(100_000)}x` },
    { name: 'colons', text: `Error ${'a:1:'.repeat(25_000)}` },
    { name: 'line feeds', text: '\n'.repeat(100_000) },
  ])('stays short with many $name', ({ text }) => {
    expect((errorSignature('Bash', text) ?? '').length).toBeLessThan(1_000);
  });
});

describe('errorLine', () => {
  it('is the unchanged line that names the error', () => {
    expect(errorLine('Bash', GO)).toBe('session_test.go:231: ListSessions() returned 1 sessions, want 2');
    expect(errorLine('Bash', 'Exit code 1')).toBeUndefined();
  });
});

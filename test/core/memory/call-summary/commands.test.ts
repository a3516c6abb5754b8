import { describe, expect, it } from 'vitest';
import { gistOf, printed, ran, type Told } from '../../../support/told.ts';

describe('a command', () => {
  it.each<Told>([
    ran('its last line', 'make all', 'one\ntwo\nthree', '`make all` exit 0 — 3 lines, 13B, last `three`'),
    ran('its only line', 'pwd', '/w', '`pwd` exit 0 — `/w`'),
    ran('nothing', 'true', '', '`true` exit 0 — no output', { text: '(Bash completed with no output)' }),
    ...[
      ['\x1b[31m1 failed\x1b[39m | 1 passed', '1 failed'],
      ['Tests:       1 failed, 5 passed, 6 total', '1 failed'],
      ['5 passing (12ms)\n  2 failing', '2 failing'],
      ['# pass 3\n# fail 1', '# fail 1'],
      ['FAILED (failures=2, errors=1)', 'errors=1'],
      ['test result: FAILED. 3 passed; 1 failed; 0 ignored', '1 failed'],
      ['Tests run: 5, Failures: 1, Errors: 0', 'failures: 1'],
      ['FAIL\texample.org/a\t0.004s', 'fail'],
      ['Found 2 errors.', '2 errors'],
      ['0 failed, 7 passed', undefined],
      ['13 passed, no failures', undefined],
    ].map(([output = '', failures]) => {
      const last = output.split('\n').at(-1)?.trim().replaceAll('\x1b', '');
      const [command, end] = ['npm test | tail', failures === undefined ? '' : `: ${failures}`];
      const more = output.includes('\n') ? `2 lines, ${output.length}B, last ` : '';
      return ran(`failures of ${last}`, command, output, `\`${command}\` exit 0${end} — ${more}\`${last}\``);
    }),
    ran('no failures of others', 'git log', 'Mend 2 failing tests', '`git log` exit 0 — `Mend 2 failing tests`'),
    ran(
      'figures',
      'npm test',
      'Tests  2 failed | 3 passed (5)',
      '`npm test` exit 0: 2 failed — `Tests  2 failed | 3 passed (5)`',
    ),
    ran('its error', 'make', '', '`make` exit 2 — `Error: no rule`', {
      text: 'Exit code 2\nError: no rule\nbye',
      report: 'Error: x',
      failed: true,
    }),
    ran('refused', 'rm -r /', '', '`rm -r /` refused — `This command requires approval`', {
      text: 'This command requires approval',
      report: 'Error: x',
      failed: true,
    }),
    ran('in the background', 'sleep 9', '', '`sleep 9` in the background', {
      report: printed('', { backgroundTaskId: 'b1' }),
    }),
    ran('too large', 'seq 9999', '1\n2', '`seq 9999` exit 0 — 39.1KB, whole in `/t/b1.txt`', {
      report: printed('1\n2', { persistedOutputPath: '/t/b1.txt', persistedOutputSize: 40_000 }),
    }),
    ran('what only the errors say', 'make', '', '`make` exit 0 — `warning: old`', {
      report: printed('', { stderr: 'warning: old\n' }),
    }),
    ran(
      'what claude says of the folder',
      'cd .. && make',
      'done\nShell cwd was reset to /w',
      '`cd .. && make` exit 0 — `done`',
      { report: undefined },
    ),
  ])('summarizes $title', (one) => {
    expect(gistOf(one)).toBe(one.gist);
  });

  it.each<Told>([
    ran('two programs', 'git status && git log', 'x\ny', '`git status && git log` exit 0 — 2 lines, 3B, last `y`'),
    ran('another end', 'ls x || echo none', 'none', '`ls x || echo none` exit 0 — `none`'),
    ran('a file', 'git diff > a.patch', '', '`git diff > a.patch` exit 0 — no output'),
    ran('nowhere', 'git diff >/dev/null', '', '`git diff >/dev/null` exit 0 — no output'),
    ran('a program', 'find . | wc -l', '7', '`find . | wc -l` exit 0 — `7`'),
    ran('the background', 'git diff &', '', '`git diff &` exit 0 — no output'),
    ran('another file', 'ls | cat a', 'x', '`ls | cat a` exit 0 — `x`'),
  ])('does not summarize output redirected to $title', (one) => {
    expect(gistOf(one)).toBe(one.gist);
  });
});

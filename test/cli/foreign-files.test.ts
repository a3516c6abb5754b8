import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../support/claude.ts';
import { CTXB } from '../support/ctxb.ts';
import { healthLine, turn } from '../support/health.ts';
import { fixture } from '../support/recordings.ts';
import { inSoak } from '../support/size.ts';
import { createPlace, ctxb, fake } from './fakes.ts';

/** Longer than a text can be in Node. */
function putZeros(path: string): void {
  writeFileSync(path, '');
  truncateSync(path, 700 * 1024 * 1024);
}

/** What may stand where a file is expected, and would make a reader wait, or read for ever. */
const ODD = [
  { title: 'a pipe', put: (path: string) => void execFileSync('mkfifo', [path]) },
  { title: 'a link to a device without an end', put: (path: string) => symlinkSync('/dev/zero', path) },
  { title: '700 MB', put: putZeros },
] as const;

describe.each(ODD)('$title', ({ title, put }) => {
  it.each(['.claude/settings.json', '.claude/settings.local.json', 'config/settings.json', '.context/.gitignore'])(
    'does not stop the doctor in %s',
    async (file) => {
      await using place = await createPlace();
      mkdirSync(dirname(place.path(file)));
      put(place.path(file));
      const env = { CLAUDE_CONFIG_DIR: place.path('config'), CTXB_CLAUDE: fake('kills-itself') };
      const run = await ctxb(place, ['doctor', '--quick'], { env });
      expect(run.stdout.toString()).toContain('Surroundings');
      expect(run.stdout.toString()).toMatch(
        file.startsWith('.context') ? /will not start: .*\.gitignore/ : /was not read: expected (a file|at most \d+)/,
      );
      expect(run.stderr).not.toContain('bug in ctxb');
      expect(run.code).toBe(file.startsWith('.context') ? 3 : 0);
    },
  );

  it.each(['.contextbudgetrc', '.contextbudgetrc.json', 'package.json'])(
    'is not read as a configuration in %s',
    async (file) => {
      await using place = await createPlace();
      put(place.path(file));
      const run = await ctxb(place, ['config']);
      expect(run.code).toBe(title === '700 MB' ? 2 : 0);
      expect(run.stderr).toMatch(title === '700 MB' ? /: expected at most \d+ bytes, found 734003200; / : /^$/);
      expect(run.stdout.toString()).toMatch(/^thresholds\.compact +"economic" +default$/m);
    },
  );

  inSoak('is not read as a log of a subagent', async () => {
    await using place = await createPlace();
    await place.file('one.jsonl', execFileSync('cat', [fixture('native-mid-turn.session.jsonl')]));
    mkdirSync(place.path('one/subagents'), { recursive: true });
    put(place.path('one/subagents/agent-a.jsonl'));
    const run = await ctxb(place, ['replay', place.cwd]);
    expect(run).toMatchObject({ code: 0, stderr: '' });
  });
});

describe.each(ODD.slice(1))('$title', ({ put }) => {
  it.each([{ args: ['run', '--prompts', 'odd', '--', fake('echoes'), '-p'] }])(
    'is refused by $args',
    async ({ args }) => {
      await using place = await createPlace();
      put(place.path('odd'));
      const run = await ctxb(place, args);
      expect([2, 3]).toContain(run.code);
      expect(run.stderr).not.toContain('bug in ctxb');
    },
  );
});

it('reads prompts from a named pipe as from a file', async () => {
  await using place = await createPlace();
  execFileSync('mkfifo', [place.path('pipe')]);
  const run = await runProgram(
    'sh',
    ['-c', `printf '"one"\\n"two"\\n' > pipe & exec "$@"`, 'sh', process.execPath, CTXB].concat([
      ...['run', '--prompts', 'pipe', '--', fake('echoes'), '-p'],
    ]),
    { env: place.env, cwd: place.cwd },
  );
  expect({ code: run.code, stdout: run.stdout.toString() }).toEqual({ code: 0, stdout: 'one\ntwo\n' });
});

inSoak('a line of a health log that exceeds the maximum string length counts as unreadable', async () => {
  await using place = await createPlace();
  putZeros(place.path('health.ndjson'));
  appendFileSync(place.path('health.ndjson'), `\n${healthLine(turn())}\n`);
  const run = await ctxb(place, ['health', 'health.ndjson']);
  expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining('1 line could not be read') });
});

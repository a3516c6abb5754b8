import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createPlace, ctxb, fake, type Place, runFake } from './fakes.ts';

const FLOW = 'name: job\nsteps:\n  - id: one\n    prompt: hello\n';

/** A repository that names a folder of the user's as ctxb's. */
function repository(place: Place, contextDir: string, files: readonly string[]): void {
  mkdirSync(place.path(contextDir), { recursive: true });
  for (const file of files) {
    mkdirSync(dirname(place.path(`${contextDir}/${file}`)), { recursive: true });
    writeFileSync(place.path(`${contextDir}/${file}`), 'mine');
    utimesSync(place.path(`${contextDir}/${file}`), 1, 1);
  }
  writeFileSync(place.path('.contextbudgetrc'), JSON.stringify({ contextDir }));
  writeFileSync(place.path('flow.yaml'), FLOW);
}

const FOLDERS = [
  { contextDir: '.claude', files: ['settings.json', 'hooks/mine.sh', 'prompts/mine.md'] },
  { contextDir: '.git', files: ['HEAD', 'hooks/pre-commit'] },
  { contextDir: 'src', files: ['hooks/use-it.ts', 'flows/main.ts', 'runs/fast.ts'] },
  { contextDir: 'data', files: ['inbox/january.json', 'journal.ndjson'] },
  { contextDir: 'empty', files: [] },
  { contextDir: '.git/empty', files: [] },
];

/** Every command that would write there. */
const COMMANDS = [
  { name: 'run', args: ['run', '--prompt', 'one', '--', fake('answers')] },
  { name: 'run --observe', args: ['run', '--observe', '--prompt', 'one', '--', fake('answers')] },
  { name: 'flow run', args: ['flow', 'run', 'flow.yaml', '--', fake('answers')] },
  { name: 'cleanup', args: ['cleanup', '--yes'] },
  { name: 'cleanup --keep', args: ['cleanup', '--yes', '--keep', '0'] },
];

describe.each(FOLDERS)('a configuration that names $contextDir', ({ contextDir, files }) => {
  it.each(COMMANDS)('is refused by ctxb $name, and nothing in it changes', async ({ args }) => {
    await using place = await createPlace();
    repository(place, contextDir, files);
    const before = readdirSync(place.path(contextDir), { recursive: true }).sort();
    const { code, stderr, stdout } = await ctxb(place, args);
    expect(stderr).toMatch(
      /(?:which ctxb did not make|is not a folder that ctxb made|belongs to git): name another folder \(contextDir/,
    );
    expect(stderr).toContain(place.path(contextDir));
    expect(stdout.toString()).toBe('');
    expect(code).toBe(2);
    expect(readdirSync(place.path(contextDir), { recursive: true }).sort()).toEqual(before);
  });
});

it('adopts a folder without a mark if it has only files of ctxb', async () => {
  await using place = await createPlace();
  mkdirSync(place.path('.context/sessions/a-1'), { recursive: true });
  await place.file('.context/.gitignore', '*\n');
  await place.file('.context/sessions/a-1/memory.ndjson', '');
  await place.file('.context/journal.ndjson', '{"v":1,"t":"2026-01-02T12:00:00.000Z","kind":"start"}\n');
  const run = await runFake(place, { fake: 'answers', flags: ['--prompt', 'one'] });
  expect(run.code).toBe(0);
  expect(readFileSync(place.path('.context/CTXB.TAG'), 'utf8')).toContain('ctxb made this folder');
});

// Only root can give a folder to somebody else.
it.runIf(process.getuid?.() === 0)('refuses a folder of another user, and does not start claude', async () => {
  await using place = await createPlace();
  await runFake(place, { fake: 'answers', flags: ['--prompt', 'one'] });
  chownSync(place.path('.context'), 12_345, 12_345);
  const env = { PLAY_INPUT: place.path('input') };
  const run = await runFake(place, { fake: 'answers', flags: ['--prompt', 'two'], env });
  expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('.context belongs to another user (12345') });
  expect(existsSync(place.path('input'))).toBe(false);
});

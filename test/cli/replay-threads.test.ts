import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { replaySource } from '../../src/replay/replay.ts';
import { redact } from '../../src/store/masks/redact.ts';
import { writeCorpus, writeLog } from '../bench/corpus.ts';
import { inSoak } from '../support/size.ts';
import { createPlace, ctxb, type Place } from './fakes.ts';

/** More than one thread reads alone. */
const BYTES = 24_000_000;

async function sessionsOf(place: Place, ...files: readonly string[]) {
  const { code, stdout, stderr } = await ctxb(place, ['replay', '--json', ...files]);
  const { sessions } = JSON.parse(stdout.toString()) as { sessions: { readonly file: string }[] };
  return { code, sessions, stderr: stderr.toString() };
}

inSoak('two threads give the same result as one', async () => {
  await using place = await createPlace();
  writeCorpus(place.cwd, BYTES);
  const together = await sessionsOf(place, place.path('projects'));
  expect(together).toMatchObject({ code: 0, stderr: '' });
  const files = together.sessions.map(({ file }) => file);
  expect(files.length).toBeGreaterThan(3);
  expect(files).toEqual([...files].sort());
  for (const [at, file] of files.entries()) {
    expect((await sessionsOf(place, file)).sessions).toEqual([together.sessions[at]]);
  }
});

inSoak('names an unreadable recording, and reads the others', async () => {
  await using place = await createPlace();
  writeCorpus(place.cwd, BYTES);
  const broken = place.path('projects/-home-dev-project-0/broken.jsonl');
  // Nobody can read this file of Linux from its beginning, not even root.
  const agents = join(dirname(broken), 'broken', 'subagents');
  await mkdir(agents, { recursive: true });
  await symlink('/proc/self/mem', join(agents, 'agent-1.jsonl'));
  await writeFile(broken, '{}\n');
  const { code, sessions, stderr } = await sessionsOf(place, place.path('projects'));
  expect(code).toBe(2);
  expect(stderr).toMatch(/^ctxb: .*agent-1\.jsonl: cannot be read \(EIO.*\n$/);
  expect(sessions.length).toBeGreaterThan(3);
});

it('judges a large file while a thread reads it, with the same result', async () => {
  await using place = await createPlace();
  const file = place.path('log.jsonl');
  writeLog(file, BYTES / 2);
  const {
    ledger: _,
    keys: __,
    ...summary
  } = await replaySource(
    { file, subagents: [] },
    { policy: DEFAULTS, series: true, stdin: Readable.from([]), mask: redact },
  );
  const { sessions } = await sessionsOf(place, '--series', file);
  expect(sessions).toEqual([JSON.parse(JSON.stringify(summary))]);
});

it.each([
  { name: 'a small folder', bytes: 1_000_000, threads: 0 },
  { name: 'a large folder', bytes: BYTES, threads: Math.min(2, availableParallelism()) },
  { name: 'a large file', bytes: BYTES / 2, write: writeLog, threads: 1 },
])('reads $name with $threads more threads', async ({ bytes, write = writeCorpus, threads }) => {
  await using place = await createPlace();
  await mkdir(place.path('projects'));
  write(write === writeLog ? place.path('projects/log.jsonl') : place.cwd, bytes);
  // Node tells of each thread that it starts.
  const { stderr } = await ctxb(place, ['replay', '--json', place.path('projects')], { env: { NODE_DEBUG: 'worker' } });
  expect(stderr.toString().match(/create new worker URL/g) ?? []).toHaveLength(threads);
});

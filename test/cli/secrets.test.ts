import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SECRETS, textOf } from '../support/secrets.ts';
import { createPlace, ctxb, type Place, runFake, STREAM } from './fakes.ts';

const KINDS = SECRETS.filter(({ masked }) => masked !== undefined);
const ALL = KINDS.map(textOf).join('\n\n');
/** What is asked for as it was, and what holds the key that ctxb seals with. */
const AS_IT_IS = /\/(?:secrets\.txt|ctxb\/key)$/;

/** The kinds that stand in a file below the folder, with the file. */
function leaks(...folders: readonly string[]): string[] {
  const files = folders
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .filter((path) => !AS_IT_IS.test(path));
  const found: string[] = [];
  for (const path of files) {
    const text = readFileSync(path, 'utf8');
    for (const { kind, secret } of KINDS) {
      // A private key has line feeds; each of its lines is one too many.
      const part = secret.split('\n').at(1) ?? secret;
      if ([part, JSON.stringify(part).slice(1, -1)].some((words) => text.includes(words)))
        found.push(`${kind}: ${path}`);
    }
  }
  return found;
}

const placesOf = (place: Place) => [place.cwd, place.env.XDG_STATE_HOME ?? ''];

it.each([
  { title: 'the prompts and the answers', fake: 'answers', flags: ['--prompt', ALL, '--prompt', `and\n${ALL}`] },
  { title: 'the task and the state', fake: 'answers', flags: ['--task', ALL, '--state', ALL, '--prompt', 'one'] },
  {
    title: 'what a command prints',
    fake: 'runs-commands',
    flags: ['--prompt', 'cat secrets.txt', '--prompt', 'cat secrets.txt; exit 3'],
  },
  {
    title: 'the words of a command',
    fake: 'runs-commands',
    flags: KINDS.filter(({ secret }) => !secret.includes('\n')).flatMap((kind) => ['--prompt', `: ${textOf(kind)}`]),
  },
  {
    title: 'prompts that wait while the context is compacted',
    fake: 'answers',
    flags: ['--prompt', ALL, '--prompt', ALL, '--prompt', ALL],
    env: { PLAY_CONTEXTS: '30000,160000,31000' },
  },
])('no secret of $title is in a file of ctxb’s', async ({ fake, flags, env = {} }) => {
  await using place = await createPlace();
  await place.file('secrets.txt', ALL);
  const run = await runFake(place, {
    fake,
    flags,
    claude: STREAM,
    env: { ...env, XDG_CACHE_HOME: place.path('cache') },
  });
  expect(run.code).toBe(0);
  expect(leaks(...placesOf(place))).toEqual([]);
});

it('no secret of a record is in a report of it, or in a cache', async () => {
  await using place = await createPlace();
  await place.file('secrets.txt', ALL);
  const env = { XDG_CACHE_HOME: place.path('cache') };
  const flags = [
    '--record',
    'secrets.txt.ndjson',
    '--prompt',
    'cat secrets.txt',
    '--prompt',
    'cat secrets.txt; exit 3',
  ];
  await runFake(place, { fake: 'runs-commands', flags, claude: STREAM });
  const record = ['secrets.txt.ndjson'];
  for (const report of [
    ['--html', 'page.html'],
    ['--markdown'],
    ['--json', '--series'],
    ['--detail'],
    ['--ndjson'],
    ['--explain', '1'],
  ]) {
    const { code, stdout } = await ctxb(place, ['replay', ...record, ...report], { env });
    expect(code).toBe(0);
    await place.file(`report-${report[0]}`, stdout);
  }
  await ctxb(place, ['scratch', ...record, '--out', 'notes'], { env });
  await ctxb(place, ['handoff', 'write', ...record, '--out', 'handoff.md'], { env });
  expect(leaks(...placesOf(place)).filter((leak) => !leak.endsWith('.ndjson') || leak.includes('.context'))).toEqual(
    [],
  );
});

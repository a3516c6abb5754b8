import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { readFlow } from '../../src/flow/file/read-flow.ts';
import { figures, keepRun } from '../support/flow-run.ts';
import { SENDS, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { SECRETS, textOf } from '../support/secrets.ts';
import { sampled } from '../support/size.ts';
import { createPlace, ctxb, type Place, runFake, STREAM } from './fakes.ts';

/** Masking is tried with each of them in `store/masks/secrets.test.ts`. */
const KINDS = sampled(
  SECRETS.filter(({ masked }) => masked !== undefined),
  6,
);
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
])('no secret of $title is in a file of ctxb', async ({ fake, flags, env = {} }) => {
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

it('no secret of a record is in a report or a cache', async () => {
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
  expect(leaks(...placesOf(place)).filter((leak) => !leak.endsWith('.ndjson') || leak.includes('.context'))).toEqual(
    [],
  );
});

/** Where a text of a kind is split in two: in the middle of the secret. */
function shownAs(kind: (typeof KINDS)[number]): { text: string; at: number; encodes: boolean } {
  const text = textOf(kind);
  return { text, encodes: kind.plainOnly !== true, at: text.indexOf(kind.secret) + Math.floor(kind.secret.length / 2) };
}

/** A half of a secret that is shorter than this is not looked for: it stands in other words too. */
const HALF = 12;

/** The kinds that stand in a text, whole, escaped, encoded, or half. */
function leaksIn(text: string): string[] {
  return KINDS.filter(({ secret, plainOnly }) => {
    const middle = Math.floor(secret.length / 2);
    const halves = [secret.slice(0, middle), secret.slice(middle)].filter(
      (half) => half.length >= HALF && !half.includes('\n'),
    );
    const whole = secret.split('\n').at(1) ?? secret;
    const encoded = plainOnly ? [] : [encodeURIComponent(whole)];
    return [whole, JSON.stringify(whole).slice(1, -1), ...encoded, ...halves].some((words) => text.includes(words));
  }).map(({ kind }) => kind);
}

function leaksBelow(folders: readonly string[], except: RegExp): string[] {
  return folders
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .filter((path) => !except.test(path))
    .flatMap((path) => leaksIn(readFileSync(path, 'utf8')).map((kind) => `${kind}: ${path}`));
}

/** What the tests themselves hold the secrets in, and the record, which is the conversation as it was. */
const GIVEN = /\/(?:texts\.json|record\.ndjson|ctxb\/key)$/;

it('no secret from any field of claude is in the notes, the telemetry, a report or a cache', async () => {
  await using place = await createPlace();
  await using receiver = await startOtlpReceiver();
  await place.file('texts.json', JSON.stringify(KINDS.map(shownAs)));
  const env = {
    PLAY_TEXTS: place.path('texts.json'),
    XDG_CACHE_HOME: place.path('cache'),
    ...SENDS,
  };
  const flags = ['--otlp', receiver.url, '--record', 'record.ndjson', '--prompt', 'one'];
  const run = await runFake(place, { fake: 'tells-secrets', flags, claude: STREAM, env });
  expect(run.code).toBe(0);
  expect(leaksIn(run.stderr)).toEqual([]);
  expect(receiver.requests.length).toBeGreaterThan(0);
  expect(leaksIn(receiver.requests.map(({ body }) => body.toString()).join('\n'))).toEqual([]);
  for (const report of REPORTS) {
    const { code, stdout } = await ctxb(place, [...report, 'record.ndjson'], { env });
    expect({ report, code, leaks: leaksIn(stdout.toString()) }).toEqual({ report, code: 0, leaks: [] });
  }
  const { stdout } = await ctxb(place, ['health', '--json'], { env });
  expect(leaksIn(stdout.toString())).toEqual([]);
  expect(leaksBelow(placesOf(place), GIVEN)).toEqual([]);
}, 120_000);

const REPORTS = [
  ['replay'],
  ['replay', '--detail'],
  ['replay', '--json', '--series'],
  ['replay', '--ndjson'],
  ['replay', '--csv'],
  ['replay', '--markdown'],
  ['replay', '--html', 'page.html'],
  ['replay', '--explain', '1'],
  ['replay', '--what-if'],
  ['scratch', '--out', 'notes'],
];

it("no secret in the output of a flow's steps is in a file", async () => {
  await using place = await createPlace();
  await place.file('history.md', ALL);
  const onOneLine = KINDS.map(textOf).filter((text) => !text.includes('\n'));
  const [names, files] = [
    onOneLine,
    onOneLine.filter((text) => text.length < 200 && !text.endsWith('/') && !text.includes('//')),
  ];
  const steps = names.map((agent, at) => ({
    id: `step-${at}`,
    agent,
    objective: agent,
    prompt: agent,
    teaching: { notes: agent, emphasis: [agent], constraints: [agent] },
    inputs: [`docs/${files[at] ?? at}`],
    outputs: [`docs/out/${files[at] ?? at}`],
  }));
  const text = JSON.stringify({ name: 'hidden', scentTrail: 'history.md', steps });
  await place.file('flow.yaml', text);
  for (const { inputs } of steps) {
    const path = place.path(inputs[0] ?? '');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, ALL);
  }
  const played = Object.fromEntries(steps.slice(0, 3).map(({ id }) => [id, { output: ALL, measured: figures() }]));
  keepRun(place.cwd, '20260101T000000-aaaa', readFlow(place.path('flow.yaml')), played);
  expect(leaksBelow([place.path('.context')], GIVEN)).toEqual([]);
});

it('no secret that spans two blocks of a prompt is in a file', async () => {
  await using place = await createPlace();
  await place.file('texts.json', '[]');
  const prompts = KINDS.map(shownAs).map(({ text, at }) => {
    const content = [`so: ${text.slice(0, at)}`, `${text.slice(at)} it is`].map((half) => ({
      type: 'text',
      text: half,
    }));
    return JSON.stringify({ type: 'user', message: { role: 'user', content } });
  });
  const run = await runFake(place, {
    fake: 'tells-secrets',
    claude: [...STREAM, '--input-format', 'stream-json'],
    stdin: `${prompts.join('\n')}\n`,
    env: { PLAY_TEXTS: place.path('texts.json'), PLAY_CONTEXTS: '30000,160000,31000' },
  });
  expect(run.code).toBe(0);
  expect(leaksBelow(placesOf(place), GIVEN)).toEqual([]);
});

import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../support/claude.ts';
import { CTXB } from '../support/ctxb.ts';
import { createPlace, type Place } from './fakes.ts';

/** Node 22 and later keep files of their own form. */
const isOurs = Number.parseInt(process.versions.node, 10) < 22;

/** In the home of the place, as for a user. */
const start = (place: Place, env: Readonly<Record<string, string>> = {}, args: readonly string[] = ['config']) =>
  runProgram(process.execPath, [CTXB, ...args], {
    cwd: place.cwd,
    env: { ...place.env, NODE_COMPILE_CACHE: '', ...env },
  });

const folderOf = (place: Place) => place.path('.cache/ctxb/compiled');

/** Hashes of the files: comparing Buffers takes seconds for each megabyte. */
function kept(place: Place): Record<string, string> {
  const hash = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(folderOf(place), name)))
      .digest('hex');
  return Object.fromEntries(readdirSync(folderOf(place)).map((name) => [name, hash(name)]));
}

describe.runIf(isOurs)('code that Node 20 has compiled', () => {
  it('is reused by the next start', async () => {
    await using place = await createPlace();
    const first = await start(place);
    expect(first.code).toBe(0);
    expect(statSync(folderOf(place)).mode & 0o777).toBe(0o700);
    const before = kept(place);
    expect(Object.keys(before).map((name) => name.replace(/-.*/, ''))).toEqual(
      expect.arrayContaining(['base', 'check']),
    );
    expect(await start(place)).toEqual(first);
    expect(kept(place)).toEqual(before);
  });

  it.each([
    { size: 'small', bytes: 10_000 },
    { size: 'large', bytes: 9_000_000 },
  ])('stays as it is when a $size recording is replayed', async ({ bytes }) => {
    await using place = await createPlace();
    await start(place);
    const line = JSON.stringify({
      type: 'user',
      message: { role: 'user', content: 'x'.repeat(5_000) },
      sessionId: 's',
    });
    const log = await place.file('a.jsonl', `${line}\n`.repeat(bytes / 5_000));
    const replay = () => start(place, {}, ['replay', '--no-cache', '--json', log]);
    expect((await replay()).code).toBe(0);
    const before = kept(place);
    await replay();
    await start(place);
    expect(kept(place)).toEqual(before);
  });

  it.each([
    { title: 'cut off', spoil: (bytes: Buffer) => bytes.subarray(0, bytes.length / 2) },
    { title: 'empty', spoil: () => Buffer.alloc(0) },
    { title: 'damaged', spoil: (bytes: Buffer) => Buffer.from(bytes).fill(0, bytes.length / 2, bytes.length / 2 + 8) },
    { title: 'of zeros', spoil: (bytes: Buffer) => Buffer.alloc(bytes.length) },
    { title: 'some text', spoil: () => Buffer.from('process.exit(9)') },
  ])('is compiled again if it is $title', async ({ spoil }) => {
    await using place = await createPlace();
    const first = await start(place);
    const before = kept(place);
    const paths = Object.keys(before).map((name) => join(folderOf(place), name));
    for (const path of paths) writeFileSync(path, spoil(readFileSync(path)));
    expect(await start(place)).toEqual(first);
    expect(Object.keys(kept(place))).toEqual(Object.keys(before));
    for (const path of paths) expect(statSync(path).size).toBeGreaterThan(1_000);
  });

  it('is deleted when it is old, and nothing else is', async () => {
    await using place = await createPlace();
    mkdirSync(folderOf(place), { recursive: true });
    for (const name of ['base-old.cjs-10-x64', 'notes.txt']) {
      writeFileSync(join(folderOf(place), name), '');
      utimesSync(join(folderOf(place), name), 0, 0);
    }
    await start(place);
    expect(Object.keys(kept(place))).toContain('notes.txt');
    expect(Object.keys(kept(place))).not.toContain('base-old.cjs-10-x64');
  });
});

it('is stored where no other user can write', async () => {
  await using place = await createPlace();
  mkdirSync(folderOf(place), { recursive: true });
  chmodSync(folderOf(place), 0o777);
  expect((await start(place)).code).toBe(0);
  expect(kept(place)).toEqual({});
});

it.each([
  { title: 'a home that cannot be written to', env: { XDG_CACHE_HOME: '/dev/null/cache' } },
  { title: 'no compile cache, as requested', env: { NODE_DISABLE_COMPILE_CACHE: '1' } },
])('starts with $title', async ({ env }) => {
  await using place = await createPlace();
  expect((await start(place, env)).code).toBe(0);
  expect(readdirSync(place.cwd)).toEqual([]);
});

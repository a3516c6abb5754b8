import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CtxbError } from '../../../src/errors.ts';
import { openContextDir } from '../../../src/store/folders/context-dir.ts';
import { unmaskedText } from '../../../src/store/masks/disk-text.ts';
import { createInbox, type Inbox, leaveInInbox, liveInboxes, takeAnswer } from '../../../src/store/runs/inbox.ts';
import { bundleStore, startStoreProgram } from '../store-program.ts';

let bundles: string;
let bundle: string;
let folder: string;
let root: string;
let inbox: Inbox;

beforeAll(async () => {
  bundles = await mkdtemp(join(tmpdir(), 'ctxb-bundle-'));
  bundle = await bundleStore(bundles);
});
afterAll(() => rm(bundles, { recursive: true, force: true }));
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ctxb-store-'));
  root = join(folder, '.context');
  inbox = createInbox(root, 'run');
});
afterEach(async () => {
  inbox.dispose();
  await rm(folder, { recursive: true, force: true });
});

describe('an inbox', () => {
  it('is private, and returns each line once', () => {
    expect(inbox.path).toBe(join(root, 'inbox/run.ndjson'));
    expect([inbox.path, join(root, 'inbox')].map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual([
      '600',
      '700',
    ]);
    expect(inbox.drain()).toEqual([]);
    leaveInInbox(inbox.path, unmaskedText('{"state":"é"}'));
    leaveInInbox(inbox.path, unmaskedText('two'));
    expect(inbox.drain()).toEqual(['{"state":"é"}', 'two']);
    expect(inbox.drain()).toEqual([]);
    leaveInInbox(inbox.path, unmaskedText('three'));
    expect(inbox.drain()).toEqual(['three']);
  });

  it('waits for the rest of a line, even within a character', () => {
    const bytes = Buffer.from('{"a":"é"}\n');
    for (const byte of bytes.subarray(0, -1)) {
      appendFileSync(inbox.path, Buffer.from([byte]));
      expect(inbox.drain()).toEqual([]);
    }
    appendFileSync(inbox.path, bytes.subarray(-1));
    expect(inbox.drain()).toEqual(['{"a":"é"}']);
  });

  it('reads at most 1 MB at a time', () => {
    const line = 'x'.repeat(9_999);
    for (let i = 0; i < 250; i++) leaveInInbox(inbox.path, unmaskedText(line));
    const counts = [inbox.drain(), inbox.drain(), inbox.drain(), inbox.drain()].map((lines) => lines.length);
    expect(counts).toEqual([104, 104, 42, 0]);
  });

  it('skips a line above the limit', () => {
    appendFileSync(inbox.path, `${'x'.repeat(2_500_000)}\nnext\n`);
    const lines = [inbox.drain(), inbox.drain(), inbox.drain(), inbox.drain()];
    expect(lines).toEqual([[], [], ['next'], []]);
  });

  it('continues after the file was truncated', () => {
    leaveInInbox(inbox.path, unmaskedText('one'));
    inbox.drain();
    truncateSync(inbox.path);
    expect(inbox.drain()).toEqual([]);
    leaveInInbox(inbox.path, unmaskedText('two'));
    expect(inbox.drain()).toEqual(['two']);
  });

  it('is removed by dispose, which may be repeated or come after a removal', () => {
    inbox.dispose();
    inbox.dispose();
    expect(existsSync(inbox.path)).toBe(false);
    expect(inbox.drain()).toEqual([]);
    expect(() => leaveInInbox(inbox.path, unmaskedText('x'))).toThrow(/does not exist, so no ctxb reads/);
  });

  it('removes abandoned answers when the next inbox is created', () => {
    for (const id of ['0123abcd', '4567cdef']) inbox.answer(id, { done: true });
    utimesSync(join(root, 'inbox/run-0123abcd.json'), 1, 1);
    createInbox(root, 'next').dispose();
    expect(takeAnswer(inbox.path, '0123abcd')).toBeUndefined();
    expect(takeAnswer(inbox.path, '4567cdef')).toEqual({ done: true });
  });

  it('cannot be created twice', () => {
    expect(() => createInbox(root, 'run')).toThrow(/run\.ndjson exists: move it away/);
  });

  it('stays in its folder whatever the id of the run is', () => {
    const other = createInbox(root, '../../etc/x');
    expect(other.path).toBe(join(root, 'inbox/------etc-x.ndjson'));
    other.dispose();
  });

  it('does not read the target of a link in its place', () => {
    writeFileSync(join(folder, 'theirs'), 'secret\n');
    renameSync(inbox.path, join(folder, 'moved'));
    symlinkSync(join(folder, 'theirs'), inbox.path);
    expect(inbox.drain()).toEqual([]);
  });

  it.each(['inbox', 'inbox/new.ndjson'])('is not created if %s is a link', (name) => {
    const other = join(folder, 'other');
    openContextDir(other);
    mkdirSync(join(other, name, '..'), { recursive: true });
    symlinkSync(folder, join(other, name));
    expect(() => createInbox(other, 'new')).toThrow(/is a symbolic link.*move it away/);
  });
});

describe('leaving a line', () => {
  it.each([
    { title: 'one that is too long', line: 'x'.repeat(16_384), says: /at most 16384 bytes, found 16385/ },
    { title: 'one that is too long in bytes', line: 'é'.repeat(8_192), says: /found 16385/ },
    { title: 'several', line: 'a\nb', says: /expected one line/ },
    { title: 'several of the old kind', line: 'a\rb', says: /expected one line/ },
  ])('refuses $title', ({ line, says }) => {
    expect(() => leaveInInbox(inbox.path, unmaskedText(line))).toThrow(says);
    expect(() => leaveInInbox(inbox.path, unmaskedText(line))).toThrow(CtxbError);
    expect(inbox.drain()).toEqual([]);
  });

  it('accepts a line of exactly the maximum length', () => {
    leaveInInbox(inbox.path, unmaskedText('x'.repeat(16_383)));
    expect(inbox.drain()[0]).toHaveLength(16_383);
  });

  it.each([
    { title: 'a link', put: (path: string) => symlinkSync(inbox.path, path), says: /symbolic link.*move it away/ },
    { title: 'a folder', put: (path: string) => mkdirSync(path), says: /folder.*move it away/ },
    { title: 'a pipe', put: (path: string) => execFileSync('mkfifo', [path]), says: /special file.*move it away/ },
    { title: 'nothing', put: () => {}, says: /does not exist/ },
  ])('refuses $title', ({ put, says }) => {
    put(join(folder, 'way'));
    expect(() => leaveInInbox(join(folder, 'way'), unmaskedText('x'))).toThrow(says);
    expect(inbox.drain()).toEqual([]);
  });

  it('keeps lines separate when many processes write at once', async () => {
    const code = `for (let i = 0; i < 300; i++) store.leaveInInbox(${JSON.stringify(inbox.path)}, process.pid + ' ' + i + 'x'.repeat(5000)); say('done');`;
    const programs = [1, 2, 3].map(() => startStoreProgram(bundle, code));
    for (const program of programs) expect(await program.next()).toBe('"done"');
    const lines: string[] = [];
    for (let some = inbox.drain(); some.length > 0; some = inbox.drain()) lines.push(...some);
    expect(lines).toHaveLength(900);
    expect(lines.every((line) => /^\d+ \d+x{5000}$/.test(line))).toBe(true);
    for (const program of programs) {
      const own = lines.filter((line) => line.startsWith(`${program.child.pid} `));
      expect(own.map((line) => Number.parseInt(line.split(' ')[1] ?? '', 10))).toEqual(own.map((_, index) => index));
      await program.kill();
    }
  });

  it('leaves no part of a line that does not fit on the disk', async () => {
    const code = `let said; for (let i = 0; i < 9; i++) try { store.leaveInInbox(${JSON.stringify(inbox.path)}, 'x'.repeat(999)); } catch (e) { said = e.name + e.message; } say(said);`;
    const program = startStoreProgram(bundle, code, 4);
    expect(await program.next()).toMatch(/CtxbError.*EFBIG/);
    expect(inbox.drain()).toHaveLength(4);
    expect(readFileSync(inbox.path, 'utf8')).toMatch(/\n$/);
    await program.kill();
  });
});

describe('inboxes of living processes', () => {
  it('are listed, sorted by name', () => {
    const other = createInbox(root, 'a-run');
    expect(liveInboxes(root)).toEqual([other.path, inbox.path]);
    other.dispose();
    expect(liveInboxes(root)).toEqual([inbox.path]);
  });

  it('do not include those of killed runs, or foreign files', async () => {
    const program = startStoreProgram(
      bundle,
      `say(store.createInbox(${JSON.stringify(root)}, 'killed').path); setInterval(() => {}, 1000);`,
    );
    const path = JSON.parse((await program.next()) ?? '') as string;
    expect(liveInboxes(root)).toEqual([path, inbox.path]);
    await program.kill();
    writeFileSync(join(root, 'inbox/empty.ndjson'), '');
    writeFileSync(join(root, 'inbox/foreign.ndjson'), '[]\n');
    mkdirSync(join(root, 'inbox/folder.ndjson'));
    symlinkSync(inbox.path, join(root, 'inbox/link.ndjson'));
    expect(liveInboxes(root)).toEqual([inbox.path]);
  });

  it('are an empty list if the folder does not exist or is a link', () => {
    expect(liveInboxes(join(folder, 'none'))).toEqual([]);
    symlinkSync(root, join(folder, 'link'));
    expect(liveInboxes(join(folder, 'link'))).toEqual([]);
  });
});

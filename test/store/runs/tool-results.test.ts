import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openContextDir } from '../../../src/store/folders/context-dir.ts';
import { storeToolResult } from '../../../src/store/runs/tool-files.ts';

let root: string;
let context: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ctxb-results-'));
  context = join(root, '.context');
});
afterEach(() => rmSync(root, { recursive: true }));

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
const folder = () => join(context, 'tool-results');

describe('a result is stored', () => {
  it('completely, readable only by its owner, in a folder that git ignores', () => {
    const path = storeToolResult(context, 'toolu_01', 'a\r\nb 😀\n');
    expect(path).toBe(join(folder(), 'toolu_01.txt'));
    expect(readFileSync(path, 'utf8')).toBe('a\r\nb 😀\n');
    expect([mode(path), mode(folder()), mode(context)]).toEqual(['600', '700', '700']);
    expect(readFileSync(join(context, '.gitignore'), 'utf8')).toBe('*\n');
    expect(readdirSync(folder())).toEqual(['toolu_01.txt']);
  });

  it('readable only by its owner, whatever the umask is', () => {
    const before = process.umask(0);
    try {
      const path = storeToolResult(context, 'toolu_01', 'x');
      expect([mode(path), mode(folder())]).toEqual(['600', '700']);
    } finally {
      process.umask(before);
    }
  });

  it('beside others with its name, without replacing them', () => {
    const paths = ['one', 'two', 'three'].map((text) => storeToolResult(context, 'toolu_01', text));
    expect(paths.map((path) => relative(folder(), path))).toEqual(['toolu_01.txt', 'toolu_01-2.txt', 'toolu_01-3.txt']);
    expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(['one', 'two', 'three']);
  });

  it.each([
    '../../evil',
    '/etc/passwd',
    '..',
    '.',
    '',
    'a/b',
    'a\0b',
    '__proto__',
    'ключ',
    'x'.repeat(5_000),
    'a\nb',
    '-rf',
    '\u202e',
    'C:\\x',
  ])('inside the folder, whatever its name: %j', (name) => {
    const path = storeToolResult(context, name, 'x');
    expect(relative(folder(), path)).toMatch(/^[\w-]{1,70}\.txt$/);
    expect(readFileSync(path, 'utf8')).toBe('x');
    expect(readdirSync(root)).toEqual(['.context']);
  });

  it('with five megabytes', () => {
    const text = 'a line of output\n'.repeat(300_000);
    expect(readFileSync(storeToolResult(context, 'toolu_01', text), 'utf8')).toBe(text);
  });

  it('again after the folder was removed', () => {
    storeToolResult(context, 'toolu_01', 'x');
    rmSync(context, { recursive: true });
    expect(existsSync(storeToolResult(context, 'toolu_02', 'x'))).toBe(true);
  });
});

describe('nothing is stored', () => {
  it('through a link in place of the folder', () => {
    mkdirSync(join(root, 'elsewhere'));
    openContextDir(context);
    symlinkSync(join(root, 'elsewhere'), folder());
    expect(() => storeToolResult(context, 'toolu_01', 'x')).toThrow('symbolic link');
    expect(readdirSync(join(root, 'elsewhere'))).toEqual([]);
  });

  it('through a link in place of the context folder', () => {
    mkdirSync(join(root, 'elsewhere'));
    symlinkSync(join(root, 'elsewhere'), context);
    expect(() => storeToolResult(context, 'toolu_01', 'x')).toThrow('symbolic link');
    expect(readdirSync(join(root, 'elsewhere'))).toEqual([]);
  });

  it('through a link in place of the file', () => {
    openContextDir(context);
    mkdirSync(folder(), { recursive: true });
    const target = join(root, 'target');
    symlinkSync(target, join(folder(), 'toolu_01.txt'));
    expect(() => storeToolResult(context, 'toolu_01', 'x')).toThrow('symbolic link');
    expect(existsSync(target)).toBe(false);
  });

  it('if a file is in place of the folder', () => {
    openContextDir(context);
    writeFileSync(folder(), 'mine');
    expect(() => storeToolResult(context, 'toolu_01', 'x')).toThrow();
    expect(readFileSync(folder(), 'utf8')).toBe('mine');
  });

  it('when all names are taken, and existing files stay unchanged', () => {
    storeToolResult(context, 'toolu_01', 'first');
    for (let count = 2; count <= 1_000; count++) writeFileSync(join(folder(), `toolu_01-${count}.txt`), 'mine');
    expect(() => storeToolResult(context, 'toolu_01', 'x')).toThrow();
    expect(readFileSync(join(folder(), 'toolu_01-1000.txt'), 'utf8')).toBe('mine');
    expect(readdirSync(folder())).toHaveLength(1_000);
  });

  it.skipIf(process.getuid?.() === 0)('in an unwritable folder', () => {
    openContextDir(context);
    mkdirSync(folder(), { recursive: true });
    chmodSync(folder(), 0o500);
    expect(() => storeToolResult(context, 'toolu_01', 'x')).toThrow();
    chmodSync(folder(), 0o700);
  });
});

/** Put together here so that no scanner finds a secret in this file. */
const KEY_LINE = 'q7Zt2Lw9Xb4Rk1Vd8Ns3Hf6Jm5Pc0Gy'.repeat(2);
const key = (end: string) =>
  [`-----BEGIN ${'RSA'} PRIVATE KEY-----`, ...Array(12).fill(KEY_LINE), `-----END ${'RSA'} PRIVATE KEY-----`].join(end);
const TOKEN = `ghp_${KEY_LINE.slice(0, 36)}`;

describe('secrets are masked, and the number of lines stays the same', () => {
  it.each([
    { what: 'a key between lines', text: `1\n${key('\n')}\nlast` },
    { what: 'a key with CRLF', text: `1\r\n${key('\r\n')}\r\nlast` },
    { what: 'a key whose end is cut off', text: `1\n${key('\n').slice(0, 400)}\nthat is all` },
    { what: 'a key whose beginning is cut off', text: `${key('\n').slice(200)}\nlast` },
    { what: 'two keys', text: `${key('\n')}\n${key('\n')}\nlast` },
    {
      what: 'a key with numbers of lines',
      text: `${key('\n')
        .split('\n')
        .map((line, at) => `${at + 1}\t${line}`)
        .join('\n')}\nlast`,
    },
    { what: 'a key in one text of JSON', text: `{"key":${JSON.stringify(key('\n'))},\n"b":1}\nlast` },
    { what: 'a token', text: `1\ntoken: ${TOKEN}\nlast` },
    { what: 'tokens on many lines', text: `${TOKEN}\n`.repeat(50) },
    { what: 'a header on two lines', text: `authorization:\nBearer ${KEY_LINE}\nlast` },
  ])('$what', ({ text }) => {
    const stored = readFileSync(storeToolResult(context, 'toolu_01', text), 'utf8');
    const [before, after] = [text.split('\n'), stored.split('\n')];
    expect(after).toHaveLength(before.length);
    expect(after.at(-1)).toBe(before.at(-1));
    expect(stored).not.toContain(KEY_LINE);
    expect(stored).not.toContain(TOKEN);
    expect(stored).toContain('[masked: ');
  });
});

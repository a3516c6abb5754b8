import {
  chmodSync,
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
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readUserFile, replaceUserFile } from '../../../src/store/files/user-file.ts';

const LIMIT = 1_000;

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ctxb-user-file-'));
  file = join(folder, 'flow.yaml');
  writeFileSync(file, 'name: job\n');
});
afterEach(() => rmSync(folder, { recursive: true }));

function instead(make: () => void): void {
  rmSync(file);
  make();
}

describe('readUserFile', () => {
  it('returns the text unchanged, and a hash of its bytes', () => {
    const { text, hash } = readUserFile(file, LIMIT);
    expect(text).toBe('name: job\n');
    writeFileSync(file, '\uFEFFname: job\r\n');
    expect(readUserFile(file, LIMIT).text).toBe('\uFEFFname: job\r\n');
    expect(readUserFile(file, LIMIT).hash).not.toBe(hash);
  });

  it.each([
    { name: 'a file that is not there', make: () => rmSync(file), says: 'is missing' },
    { name: 'a file that is too long', make: () => writeFileSync(file, 'x'.repeat(1_001)), says: 'has 1001 bytes' },
    { name: 'a file that is not text', make: () => writeFileSync(file, Buffer.from([0xff])), says: 'no text in UTF-8' },
    { name: 'a folder', make: () => instead(() => mkdirSync(file)), says: 'is a folder' },
    { name: 'a link', make: () => instead(() => symlinkSync(folder, file)), says: 'is a symbolic link' },
  ])('refuses $name', ({ make, says }) => {
    make();
    expect(() => readUserFile(file, LIMIT)).toThrow(says);
  });
});

describe('replaceUserFile', () => {
  it.each([0o600, 0o644, 0o755])('keeps the permissions %o and leaves no other file', (mode) => {
    chmodSync(file, mode);
    const { hash } = readUserFile(file, LIMIT);
    expect(replaceUserFile(file, 'name: other\n', { hash, limit: LIMIT })).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('name: other\n');
    expect(statSync(file).mode & 0o777).toBe(mode);
    expect(readdirSync(folder)).toEqual(['flow.yaml']);
  });

  it('does not replace a file that has changed since', () => {
    const { hash } = readUserFile(file, LIMIT);
    writeFileSync(file, 'name: mine\n');
    expect(replaceUserFile(file, 'name: other\n', { hash, limit: LIMIT })).toBe(false);
    expect(readFileSync(file, 'utf8')).toBe('name: mine\n');
  });

  it('does not follow a link', () => {
    const [other, { hash }] = [join(folder, 'other.yaml'), readUserFile(file, LIMIT)];
    writeFileSync(other, 'name: job\n');
    rmSync(file);
    symlinkSync(other, file);
    expect(() => replaceUserFile(file, 'name: x\n', { hash, limit: LIMIT })).toThrow('is a symbolic link');
    expect(readFileSync(other, 'utf8')).toBe('name: job\n');
  });
});

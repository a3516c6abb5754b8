import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSeal } from '../../../src/store/runs/seal.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ctxb-seal-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const JSON_TEXT = '{"v":1,"words":["claude","a \\"seal\\":\\"b\\"}"]}';

describe('a seal', () => {
  it('is a member of the object, and valid for the same user and purpose', () => {
    const line = openSeal(join(folder, 'ctxb')).close(JSON_TEXT, 'runs/a');
    expect(JSON.parse(line)).toMatchObject(JSON.parse(JSON_TEXT));
    expect(openSeal(join(folder, 'ctxb')).open(line, 'runs/a')).toBe(JSON_TEXT);
  });

  it('keeps its key readable only by the owner', () => {
    const { keyPath, close } = openSeal(join(folder, 'ctxb'));
    close(JSON_TEXT, 'p');
    expect(keyPath).toBe(join(folder, 'ctxb', 'key'));
    expect(statSync(join(folder, 'ctxb', 'key')).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'ctxb')).mode & 0o777).toBe(0o700);
  });

  it.each([
    { name: 'no seal', forge: () => JSON_TEXT },
    { name: 'another text', forge: (line: string) => line.replace('claude', 'sh') },
    { name: 'a cut seal', forge: (line: string) => line.replace(/..."\}$/, '"}') },
    { name: 'a seal of zeros', forge: (line: string) => line.replace(/[0-9a-f]{64}"\}$/, `${'0'.repeat(64)}"}`) },
    { name: 'a member after it', forge: (line: string) => line.replace(/\}$/, ',"words":["sh"]}') },
    { name: 'nothing', forge: () => '' },
  ])('is invalid for $name', ({ forge }) => {
    const seal = openSeal(folder);
    expect(seal.open(forge(seal.close(JSON_TEXT, 'p')), 'p')).toBeUndefined();
  });

  it('is invalid for another purpose or key', () => {
    const line = openSeal(join(folder, 'mine')).close(JSON_TEXT, 'p');
    expect(openSeal(join(folder, 'mine')).open(line, 'q')).toBeUndefined();
    const other = openSeal(join(folder, 'theirs'));
    other.close('{}', 'p');
    expect(other.open(line, 'p')).toBeUndefined();
  });

  it.each([
    { name: 'something is in the way', place: 'ctxb' },
    { name: 'there is no home folder', place: undefined },
  ])('cannot be made if $name, and then no seal is valid', ({ place }) => {
    writeFileSync(join(folder, 'ctxb'), 'in the way');
    const seal = openSeal(place && join(folder, place));
    expect(() => seal.close(JSON_TEXT, 'p')).toThrow();
    expect(seal.open(JSON_TEXT, 'p')).toBeUndefined();
  });

  it('does not read a key through a link', () => {
    mkdirSync(join(folder, 'ctxb'));
    writeFileSync(join(folder, 'known'), '0'.repeat(64));
    symlinkSync(join(folder, 'known'), join(folder, 'ctxb', 'key'));
    expect(() => openSeal(join(folder, 'ctxb')).close(JSON_TEXT, 'p')).toThrow('symbolic link');
    expect(readFileSync(join(folder, 'known'), 'utf8')).toBe('0'.repeat(64));
  });
});

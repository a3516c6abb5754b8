import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeModFolder } from '../../src/store/runs/mod-folder.ts';

let root = '';
let mod: URL;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ctxb-mods-'));
  const source = join(root, 'mod');
  mkdirSync(join(source, 'hooks'), { recursive: true });
  writeFileSync(join(source, 'hooks/register.js'), '');
  mod = pathToFileURL(`${source}/`);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it('is private, tells the mod its path, and is removed with everything in it', () => {
  const folder = makeModFolder(root, mod);
  expect(statSync(folder.path).mode & 0o777).toBe(0o700);
  expect(readFileSync(join(folder.path, 'hooks/place.js'), 'utf8')).toBe(`export const PLACE = "${folder.path}";\n`);
  folder.plan({ version: 1, note: `key sk-ant-api03-${'a'.repeat(90)}`, budget: 9 });
  expect(JSON.parse(readFileSync(join(folder.path, 'plan.json'), 'utf8'))).toMatchObject({ version: 1, budget: 9 });
  expect(readFileSync(join(folder.path, 'plan.json'), 'utf8')).not.toContain('aaaaaaaa');
  folder.remove();
  expect(existsSync(folder.path)).toBe(false);
});

it('calls back once the mod is alive, even if its file already existed', async () => {
  const folder = makeModFolder(root, mod);
  const alive = new Promise<void>((resolve) => folder.whenAlive(resolve));
  writeFileSync(join(folder.path, 'alive'), '');
  await alive;
  await new Promise<void>((resolve) => folder.whenAlive(resolve));
});

it('returns a receipt once, when it is whole', () => {
  const folder = makeModFolder(root, mod);
  expect(folder.takeReceipt()).toBeUndefined();
  writeFileSync(join(folder.path, 'receipt.json'), '{"answered":true}');
  expect(folder.takeReceipt()).toEqual({ receipt: { answered: true }, kept: undefined });
  expect(folder.takeReceipt()).toBeUndefined();
  writeFileSync(join(folder.path, 'receipt.json'), '{"answ');
  expect(folder.takeReceipt()).toBeUndefined();
  writeFileSync(join(folder.path, 'receipt.json'), '{"answered":false}');
  expect(folder.takeReceipt()).toEqual({ receipt: { answered: false }, kept: undefined });
});

it('removes the folders of killed runs, and nothing else', () => {
  const own = makeModFolder(root, mod);
  // No process has this number.
  const left = join(root, 'ctxb-mod-99999999-abcdef');
  const other = join(root, 'ctxb-mod-99999999-foreign');
  for (const path of [left, other]) mkdirSync(join(path, 'hooks'), { recursive: true });
  for (const path of [left, other]) writeFileSync(join(path, 'hooks/place.js'), '');
  const next = makeModFolder(root, mod);
  expect([own.path, left, other, next.path].map((path) => [basename(path).length > 0, existsSync(path)])).toEqual([
    [true, true],
    [true, false],
    [true, true],
    [true, true],
  ]);
});

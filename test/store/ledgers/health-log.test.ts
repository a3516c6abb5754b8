import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { archiveLongLog, findHealthLogs } from '../../../src/store/ledgers/health-log.ts';

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'ctxb-health-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(...names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), '');
  }
}

const usual = async (project: string) => join(project, '.context');

describe('a path stands for', () => {
  it.each<{ title: string; files: string[]; path: string; logs: string[] }>([
    { title: 'a project', files: ['p/.context/health.ndjson'], path: 'p', logs: ['p/.context/health.ndjson'] },
    {
      title: 'a folder of ctxb',
      files: ['p/.context/health.ndjson'],
      path: 'p/.context',
      logs: ['p/.context/health.ndjson'],
    },
    { title: 'a log', files: ['old.ndjson'], path: 'old.ndjson', logs: ['old.ndjson'] },
    {
      title: 'the projects in it, in order of name',
      files: ['b/.context/health.ndjson', 'a/.context/health.ndjson', 'none/readme', 'readme'],
      path: '.',
      logs: ['a/.context/health.ndjson', 'b/.context/health.ndjson'],
    },
    {
      title: 'itself alone, when it has records and its folders too',
      files: ['.context/health.ndjson', 'a/.context/health.ndjson'],
      path: '.',
      logs: ['.context/health.ndjson'],
    },
    { title: 'nothing further down', files: ['a/b/.context/health.ndjson'], path: '.', logs: [] },
    { title: 'nothing', files: ['readme'], path: '.', logs: [] },
  ])('$title', async ({ files, path, logs }) => {
    put(...files);
    expect(await findHealthLogs(join(root, path), usual)).toEqual(logs.map((log) => join(root, log)));
  });
});

it('the configuration of a project names its folder', async () => {
  put('p/notes/health.ndjson', 'p/.context/health.ndjson');
  const logs = await findHealthLogs(join(root, 'p'), async (project) => join(project, 'notes'));
  expect(logs).toEqual([join(root, 'p/notes/health.ndjson')]);
});

it('a path over links leads to the same log, while a log that is a link stays one and is refused', async () => {
  put('p/.context/health.ndjson', 'q/.context/x');
  symlinkSync(join(root, 'p'), join(root, 'link'));
  symlinkSync(join(root, 'p/.context/health.ndjson'), join(root, 'q/.context/health.ndjson'));
  symlinkSync(join(root, 'nowhere'), join(root, 'broken'));
  expect(await findHealthLogs(join(root, 'link'), usual)).toEqual([join(root, 'p/.context/health.ndjson')]);
  expect(await findHealthLogs(join(root, 'q'), usual)).toEqual([join(root, 'q/.context/health.ndjson')]);
  expect(new Set(await findHealthLogs(root, usual)).size).toBe(2);
});

it('reports a path that does not exist', async () => {
  await expect(findHealthLogs(join(root, 'gone'), usual)).rejects.toMatchObject({ code: 'unreadable-input' });
});

it('a long log is continued in a new file, and its oldest parts are removed', () => {
  const log = join(root, 'health.ndjson');
  const start = Date.parse('2026-01-02T12:00:00Z');
  for (let at = 0; at < 10; at++) {
    writeFileSync(log, `${at}\n`);
    archiveLongLog(root, start + at);
    expect(readFileSync(log, 'utf8')).toBe(`${at}\n`);
    truncateSync(log, 8 * 1024 * 1024);
    archiveLongLog(root, start + at);
    expect(existsSync(log)).toBe(false);
  }
  const first = readdirSync(root).map((name) => readFileSync(join(root, name), 'utf8').slice(0, 1));
  expect(first.sort()).toEqual(['2', '3', '4', '5', '6', '7', '8', '9']);
});

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const { withRelease } = await import(new URL('./support/releases.mjs', import.meta.url).href);

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

function filesIn(folder: string) {
  return readdirSync(join(ROOT, folder)).map((name) => ({
    name,
    text: readFileSync(join(ROOT, folder, name), 'utf8'),
  }));
}

function node(script: string, argument: string, cwd = ROOT) {
  const run = spawnSync(process.execPath, [join(ROOT, 'test/support', script), argument], { cwd, encoding: 'utf8' });
  return { code: run.status, stdout: run.stdout, stderr: run.stderr };
}

describe('workflows', () => {
  it.each(filesIn('.github/workflows'))('$name is YAML and calls only scripts that are there', ({ text }) => {
    const { jobs } = parse(text) as { jobs: Record<string, { steps: { run?: string; uses?: string }[] }> };
    const steps = Object.values(jobs).flatMap((job) => job.steps);
    const runs = steps.flatMap(({ run = '' }) => run);
    const named = runs.flatMap((run) => [...run.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name));
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    const programs = runs.flatMap((run) => [...run.matchAll(/node (test\/\S+)/g)].map(([, path = '']) => path));
    for (const path of programs) expect(readFileSync(join(ROOT, path), 'utf8')).not.toBe('');
  });

  it.each(filesIn('.github/ISSUE_TEMPLATE'))('the form $name is YAML', ({ text }) => {
    expect(parse(text)).toBeTypeOf('object');
  });

  it('the form for a fault asks for doctor and for a masked record', () => {
    const text = filesIn('.github/ISSUE_TEMPLATE').find(({ name }) => name === 'fault.yml')?.text ?? '';
    expect(text).toContain('ctxb doctor --quick');
    expect(text).toContain('ctxb replay --json');
  });
});

describe('an issue about a new release of claude', () => {
  it('names the version and what differs', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ctxb-log-'));
    try {
      const log = join(folder, 'log');
      const lines = ['Claude Code 2.1.400 (pinned: 2.1.332)', 'shows  + --new-option', 'doctor: 12 of 13 facts hold'];
      const differing = [
        'fact   clear-forgets: fails, nothing shows it (2.1.332: holds)',
        'test   test/e2e/a.test.ts: b',
      ];
      writeFileSync(log, [...lines, ...differing, ''].join('\n'));
      const { code, stdout } = node('difference-issue.mjs', log);
      expect(code).toBe(0);
      expect(stdout.split('\n')[0]).toBe('Claude Code 2.1.400 differs');
      expect(stdout).toContain('has found 2 differences');
      for (const line of [...differing, 'shows  + --new-option']) expect(stdout).toContain(line);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the notes of a release', () => {
  it('are its section of the changelog', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ctxb-notes-'));
    try {
      writeFileSync(
        join(folder, 'CHANGELOG.md'),
        '# Changelog\n\n## Unreleased\n\n## 0.2.0 2026-12-01\n\nNew.\n\n## 0.1.0\n\nOld.\n',
      );
      expect(node('release-notes.mjs', '0.2.0', folder)).toMatchObject({ code: 0, stdout: 'New.\n' });
      expect(node('release-notes.mjs', '0.1.0', folder)).toMatchObject({ code: 0, stdout: 'Old.\n' });
      expect(node('release-notes.mjs', '0.3.0', folder)).toMatchObject({ code: 1, stdout: '' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the table of releases', () => {
  const page = 'What it is.\n\n| version | tried | facts | differences |\n| --- | --- | --- | ---: |\n';
  const found = { date: '2026-11-27', facts: '13 of 13', differences: 0 };

  it('has the newest first, and a row for each version', () => {
    const one = withRelease(page, { ...found, version: '2.1.99' });
    const two = withRelease(one, { ...found, version: '2.1.332' });
    const again = withRelease(two, { ...found, version: '2.1.99', differences: 2 });
    expect(again).toBe(`${page}| 2.1.332 | 2026-11-27 | 13 of 13 | 0 |\n| 2.1.99 | 2026-11-27 | 13 of 13 | 2 |\n`);
  });
});

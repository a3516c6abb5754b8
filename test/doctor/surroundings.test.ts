import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkNode, inspectSurroundings } from '../../src/doctor/surroundings.ts';

let cwd = '';
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'ctxb-around-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

async function file(name: string, content: string): Promise<void> {
  await mkdir(dirname(join(cwd, name)), { recursive: true });
  await writeFile(join(cwd, name), content);
}

/** All that is not good, as `status subject: text; todo`. */
async function found(env: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const { remarks } = await inspectSurroundings({ env: { HOME: cwd, PATH: process.env.PATH, ...env }, cwd });
  const bad = remarks.filter(({ status }) => status !== 'good');
  return bad.map(({ status, subject, text, todo }) => `${status} ${subject}: ${text}; ${todo}`.replaceAll(cwd, '~'));
}

it('finds no fault in a good installation', async () => {
  expect(await found()).toEqual([]);
});

it.each([
  { version: '20.19.0', status: 'good' },
  { version: '22.0.0', status: 'good' },
  { version: '20.18.9', status: 'fault' },
  { version: '18.20.4', status: 'fault' },
])('Node $version is $status', ({ version, status }) => {
  expect(checkNode(version)).toMatchObject({ status });
});

it.each([
  {
    title: 'a key that is none',
    files: { '.contextbudgetrc.json': '{"compation":{}}' },
    env: {},
    says: /^fault configuration: compation: .*did you mean compaction/,
  },
  {
    title: 'a variable that is none',
    files: {},
    env: { CTXB_QIET: '1' },
    says: /^warning configuration: CTXB_QIET: .*did you mean CTXB_QUIET/,
  },
  {
    title: 'settings that are no JSON',
    files: { '.claude/settings.json': '{\n"a" 1}' },
    env: {},
    says: /^warning ~\/\.claude\/settings\.json: claude cannot read it: line 2: .*; correct it/,
  },
  {
    title: 'automatic compaction switched off in the settings',
    files: { '.claude/settings.local.json': '{"autoCompactEnabled": false}' },
    env: {},
    says: /^warning autoCompactEnabled in ~\/\.claude\/settings\.local\.json: .*thresholds\.midTurn has no effect/,
  },
  {
    title: 'hooks switched off',
    files: { '.claude/settings.json': '{"disableAllHooks": true}' },
    env: {},
    says: /^warning disableAllHooks in .*: claude calls no hooks of its settings and runs no mods/,
  },
  {
    title: 'a variable in the settings',
    files: { '.claude/settings.json': '{"env":{"CLAUDE_CODE_AUTO_COMPACT_WINDOW":"120000"}}' },
    env: {},
    says: /^warning CLAUDE_CODE_AUTO_COMPACT_WINDOW in ~\/\.claude\/settings\.json: /,
  },
  ...['DISABLE_AUTO_COMPACT', 'DISABLE_COMPACT', 'CLAUDE_CODE_SIMPLE', 'CLAUDE_CODE_SKIP_PROMPT_HISTORY'].map(
    (name) => ({
      title: name,
      files: {},
      env: { [name]: '1' },
      says: new RegExp(`^warning ${name} in the environment: .*; remove it`),
    }),
  ),
  {
    title: 'another server than the API',
    files: {},
    env: { ANTHROPIC_BASE_URL: 'http://localhost:4000' },
    says: /^warning ANTHROPIC_BASE_URL in the environment: .*estimates/,
  },
])('$title is found', async ({ files, env, says }) => {
  for (const [name, content] of Object.entries(files)) await file(name, content);
  expect(await found(env)).toEqual([expect.stringMatching(says)]);
});

it.each([
  { title: 'a switch that is off', env: { DISABLE_AUTO_COMPACT: '0' } },
  { title: 'the API itself', env: { ANTHROPIC_BASE_URL: 'https://api.anthropic.com' } },
])('$title is fine', async ({ env }) => {
  expect(await found(env)).toEqual([]);
});

it("a setting for organizations has no effect in a project's settings", async () => {
  await file('.claude/settings.json', '{"allowManagedHooksOnly": true}');
  expect(await found()).toEqual([]);
});

it('a later settings file overrides an earlier one', async () => {
  await file('.claude/settings.json', '{"autoCompactEnabled": false, "model": "opus"}');
  await file('.claude/settings.local.json', '{"autoCompactEnabled": true, "model": "haiku"}');
  const around = await inspectSurroundings({ env: { HOME: cwd }, cwd });
  expect(around).toMatchObject({ isTriggerTaken: false, model: 'haiku' });
});

it('a context folder that is a symbolic link, or a file, is a fault', async () => {
  await mkdir(join(cwd, 'elsewhere'));
  await symlink(join(cwd, 'elsewhere'), join(cwd, '.context'));
  expect(await found()).toEqual([expect.stringMatching(/^fault context folder: .* is a symbolic link/)]);
  await rm(join(cwd, '.context'));
  await file('.context', '');
  expect(await found()).toEqual([expect.stringMatching(/^fault context folder: .* is a file/)]);
});

it.skipIf(process.getuid?.() === 0)('a context folder that cannot be written is a fault', async () => {
  await mkdir(join(cwd, '.context'));
  await chmod(join(cwd, '.context'), 0o500);
  expect(await found()).toEqual([expect.stringMatching(/^fault context folder: .* cannot be written/)]);
});

it('a context folder inside of a file cannot be written', async () => {
  await file('notes', '');
  expect(await found({ CTXB_CONTEXT_DIR: 'notes/context' })).toEqual([
    expect.stringMatching(/^fault context folder: .* cannot be written/),
  ]);
});

it('a context folder that ctxb did not make is a fault', async () => {
  await file('.context/mine.txt', '');
  expect(await found()).toEqual([
    expect.stringMatching(
      /^fault context folder: ctxb run will not start: .* holds mine\.txt, which ctxb did not make/,
    ),
  ]);
});

it.each([
  { name: 'a repository', folder: '.', args: [] },
  { name: 'a context folder that is a repository itself', folder: '.context', args: ['--bare'] },
])('no program is started that the configuration of $name names', async ({ folder, args }) => {
  await file('.context/.gitignore', '# nothing\n');
  const git = (...words: string[]) => execFileSync('git', words, { cwd: join(cwd, folder) });
  git('init', '-q', ...args, '.');
  if (folder !== '.') git('config', 'core.worktree', '..');
  git('config', 'core.bare', 'false');
  git('config', 'core.fsmonitor', `touch '${join(cwd, 'owned')}'; false`);
  await found();
  expect(existsSync(join(cwd, 'owned'))).toBe(false);
});

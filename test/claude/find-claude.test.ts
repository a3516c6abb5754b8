import { mkdir, symlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findClaude } from '../../src/claude/find-claude.ts';
import { createPrograms, type Programs } from './programs.ts';

/** Two programs of ctxb, beside each other, and a claude. */
async function createScene() {
  const programs = await createPrograms();
  const self = await programs.place('ctxb/dist/ctxb.cjs', '#!/usr/bin/env node\n/* ctxb */\n');
  const shim = await programs.place('ctxb/dist/ctxb-shim.cjs', '#!/usr/bin/env node\n/* ctxb */\n');
  const claude = await programs.place('real/claude');
  return { ...programs, self, shim, claude };
}

function pathOf({ root }: Programs, ...folders: string[]): string {
  return folders.map((folder) => folder && join(root, folder)).join(delimiter);
}

describe('on PATH', () => {
  it('is the first executable one', async () => {
    await using scene = await createScene();
    await scene.place('a/claude', '#!/bin/sh\n', 0o644);
    await mkdir(join(scene.root, 'b/claude'), { recursive: true });
    const env = { PATH: pathOf(scene, '', 'a', 'b', 'real') };
    expect(await findClaude({ env, cwd: '/' }, { self: scene.self })).toBe(scene.claude);
  });

  it.each([
    { title: 'the program that runs now, behind a link', program: 'self' },
    { title: 'the program beside it, behind a link', program: 'shim' },
  ] as const)('is never $title', async ({ program }) => {
    await using scene = await createScene();
    await mkdir(join(scene.root, 'first'));
    await symlink(scene[program], join(scene.root, 'first/claude'));
    const env = { PATH: pathOf(scene, 'first', 'real') };
    expect(await findClaude({ env, cwd: '/' }, { self: scene.self })).toBe(scene.claude);
  });

  it('is never a script that names ctxb', async () => {
    await using scene = await createScene();
    await scene.place('first/claude', '#!/bin/sh\nexec /opt/ctxb-shim "$@"\n');
    const env = { PATH: pathOf(scene, 'first', 'real') };
    expect(await findClaude({ env, cwd: '/' }, { self: scene.self })).toBe(scene.claude);
  });

  it('causes an error with a remedy if none exists', async () => {
    await using scene = await createScene();
    const where = { env: { PATH: pathOf(scene, 'ctxb/dist') }, cwd: '/' };
    await expect(findClaude(where, { self: scene.self })).rejects.toThrow(
      'no claude on PATH besides ctxb itself: install Claude Code (npm',
    );
  });
});

describe('named', () => {
  it.each([
    { title: 'by --claude, which wins', given: 'ours/mine', env: { CTXB_CLAUDE: '/none' }, expected: 'ours/mine' },
    { title: 'by CTXB_CLAUDE, from the working folder', env: { CTXB_CLAUDE: './ours/mine' }, expected: 'ours/mine' },
    { title: 'as a word, which is looked for on PATH', given: 'mine', env: {}, expected: 'ours/mine' },
    { title: 'though it names ctxb: a wrapper of the user', given: 'ours/wrapper', env: {}, expected: 'ours/wrapper' },
  ])('$title', async ({ given, env, expected }) => {
    await using scene = await createScene();
    await scene.place('ours/mine');
    await scene.place('ours/wrapper', '#!/bin/sh\n# for ctxb\nexec claude "$@"\n');
    const where = { env: { PATH: pathOf(scene, 'real', 'ours'), ...env }, cwd: scene.root };
    expect(await findClaude(where, { given, self: scene.self })).toBe(join(scene.root, expected));
  });

  it.each([
    { title: 'what is not there', given: 'none/claude', says: '--claude: none/claude is not an executable program' },
    { title: 'a word that is not on PATH', given: 'none', says: '--claude: none is not an executable program' },
    { title: 'the program that runs now', given: 'ctxb/dist/ctxb.cjs', says: 'ctxb.cjs is ctxb itself' },
    { title: 'the program beside it', given: 'ctxb/dist/ctxb-shim.cjs', says: 'ctxb-shim.cjs is ctxb itself' },
  ])('is refused: $title', async ({ given, says }) => {
    await using scene = await createScene();
    const where = { env: { PATH: pathOf(scene, 'real') }, cwd: scene.root };
    await expect(findClaude(where, { given, self: scene.self })).rejects.toThrow(says);
  });

  it('by an absolute path, even if the working folder no longer exists', async () => {
    await using scene = await createScene();
    const where = {
      env: {},
      get cwd(): string {
        throw new Error('gone');
      },
    };
    expect(await findClaude(where, { given: scene.claude, self: scene.self })).toBe(scene.claude);
  });
});

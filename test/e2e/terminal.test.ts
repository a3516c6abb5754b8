import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runProgram, startWorld, type World } from '../support/claude.ts';
import { conversation } from '../support/conversation.ts';
import { CTXB, SMALL_WINDOW } from '../support/ctxb.ts';
import { atTerminal } from '../support/pty.ts';

/** What a person has answered before: the theme, the key, and that the folder is to be trusted. */
function settleIn({ scratch: { env, cwd } }: World): void {
  const config = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    bypassPermissionsModeAccepted: true,
    customApiKeyResponses: { approved: [env.ANTHROPIC_API_KEY?.slice(-20)], rejected: [] },
    projects: { [cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  };
  writeFileSync(join(env.CLAUDE_CONFIG_DIR ?? '', '.claude.json'), JSON.stringify(config));
}

/** As long as the test may take. */
const poll = <T>(look: () => T) => expect.poll(look, { timeout: 60_000 });
const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ');

it('interactive claude shows the status line, and its hooks keep the notes', async () => {
  await using world = await startWorld(conversation({ turns: [2, 2], from: 50_000, growBy: 20_000 }));
  const { env, cwd } = world.scratch;
  settleIn(world);
  const program = quoted([process.execPath, CTXB]);
  const init = ['init', '--claude-settings', 'local', '--yes', '--program', program];
  await runProgram(process.execPath, [CTXB, ...init], { env, cwd });

  const session = () => readdirSync(join(cwd, '.context', 'hooks'))[0] ?? '';
  const notes = () => {
    const path = join(cwd, '.context', 'sessions', session(), 'human-input.md');
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };

  await using claude = atTerminal(quoted([world.claude, ...SMALL_WINDOW]), { env, cwd });
  await claude.shows(/░notmeasuredyet·200,000/);
  claude.type('count');
  await claude.shows(/count/);
  claude.type('\r');
  await claude.shows(/monitor/);
  // They are written at the end of the turn; what is typed before would belong to it.
  await poll(notes).toContain('count');
  claude.type('again');
  await claude.shows(/again/);
  claude.type('\r');
  await claude.shows(/warning/);
  await poll(notes).toMatch(/count[\s\S]*again/);
  expect(readFileSync(join(cwd, '.context', 'hooks', session(), 'window.json'), 'utf8')).toBe('200000');
});

it('ctxb init asks the person at the terminal', async () => {
  await using world = await startWorld({ calls: [] });
  const { env, cwd } = world.scratch;
  const settings = join(cwd, '.claude', 'settings.json');
  const command = quoted([process.execPath, CTXB, 'init', '--claude-settings', 'project']);
  await using first = atTerminal(command, { env, cwd });
  await first.shows(/Writethis\?\[y\/N\]/);
  first.type('\r');
  expect(await first.ended).toBe(0);
  expect(existsSync(settings)).toBe(false);

  await using second = atTerminal(command, { env, cwd });
  await second.shows(/Writethis\?\[y\/N\]/);
  second.type('y\r');
  expect(await second.ended).toBe(0);
  expect(existsSync(settings)).toBe(true);
});

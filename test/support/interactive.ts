import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { World } from './claude.ts';
import { type AtTerminal, atTerminal } from './pty.ts';

/** Settings of a user who has chosen a theme, entered a key and trusted the folder. */
export function settleIn({ scratch: { env, cwd } }: World): void {
  const config = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    bypassPermissionsModeAccepted: true,
    customApiKeyResponses: { approved: [env.ANTHROPIC_API_KEY?.slice(-20)], rejected: [] },
    projects: { [cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  };
  writeFileSync(join(env.CLAUDE_CONFIG_DIR ?? '', '.claude.json'), JSON.stringify(config));
}

/** A word for the shell each. */
export const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ');

/** Claude Code as a person starts it. */
export function interactiveClaude({ claude, scratch: { env, cwd } }: World, args: readonly string[]): AtTerminal {
  return atTerminal(quoted([claude, ...args]), { env, cwd }, true);
}

/** Types a line and sends it once it stands there: claude takes a line end that comes together with text for a part of it. */
export async function say(terminal: AtTerminal, text: string): Promise<void> {
  terminal.type(text);
  await terminal.shows(new RegExp(text.replace(/\s+/g, '').replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')));
  terminal.type('\r');
}

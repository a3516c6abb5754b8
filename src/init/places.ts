import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where Claude Code keeps settings: of the project for everybody, of the project for one's own, of the person. */
export type SettingsPlace = (typeof SETTINGS_PLACES)[number];

export const SETTINGS_PLACES = ['project', 'local', 'user'] as const;

/** @param cwd the project's folder */
export function settingsPath(
  place: SettingsPlace,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): string {
  switch (place) {
    case 'project':
      return join(cwd, '.claude', 'settings.json');
    case 'local':
      return join(cwd, '.claude', 'settings.local.json');
    case 'user':
      return join(env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), '.claude'), 'settings.json');
  }
}

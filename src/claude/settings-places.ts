import { join } from 'node:path';
import { type ClaudePlace, configFolder } from './config-folder.ts';

/** Where Claude Code keeps settings: of the project for everybody, of the project for one's own, of the person. */
export type SettingsPlace = (typeof SETTINGS_PLACES)[number];

export const SETTINGS_PLACES = ['project', 'local', 'user'] as const;

/** @param where `cwd` is the project's folder */
export function settingsPath(place: SettingsPlace, where: ClaudePlace): string {
  switch (place) {
    case 'project':
      return join(where.cwd, '.claude', 'settings.json');
    case 'local':
      return join(where.cwd, '.claude', 'settings.local.json');
    case 'user':
      return join(configFolder(where), 'settings.json');
  }
}

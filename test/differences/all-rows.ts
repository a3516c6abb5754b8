import type { Group } from './row.ts';
import { FORMATS, STDIN } from './rows/formats.ts';
import { AGENTS_AND_SCHEMAS, MISTAKES, OPTIONS, PERMISSIONS } from './rows/options.ts';
import { SESSIONS } from './rows/sessions.ts';
import { COMMANDS, ERRORS, HOOKS, SHELLS, TOOLS } from './rows/work.ts';

export const GROUPS: readonly Group[] = [
  ...[FORMATS, STDIN, SESSIONS, PERMISSIONS, AGENTS_AND_SCHEMAS, OPTIONS],
  ...[COMMANDS, HOOKS, TOOLS, MISTAKES, ERRORS, SHELLS],
];

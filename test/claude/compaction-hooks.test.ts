import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { hasCompactionHook } from '../../src/claude/claude-folders.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ctxb-hooks-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const hooks = (command: string, name = 'PreCompact') => ({
  hooks: { [name]: [{ hooks: [{ type: 'command', command }] }] },
});
const GUARD = hooks('exit 2');

it.each<{ name: string; file?: string; text?: string; given?: string; is: boolean }>([
  { name: 'no settings', is: false },
  { name: 'the project', file: '.claude/settings.json', text: JSON.stringify(GUARD), is: true },
  { name: "one's own of the project", file: '.claude/settings.local.json', text: JSON.stringify(GUARD), is: true },
  { name: 'the user', file: 'config/settings.json', text: JSON.stringify(GUARD), is: true },
  { name: 'JSON among the arguments', given: JSON.stringify(GUARD), is: true },
  {
    name: 'a file among the arguments',
    file: 'guard.json',
    text: JSON.stringify(GUARD),
    given: 'guard.json',
    is: true,
  },
  { name: 'another hook', file: '.claude/settings.json', text: JSON.stringify(hooks('true', 'Stop')), is: false },
  { name: 'an empty list', file: '.claude/settings.json', text: '{"hooks":{"PreCompact":[]}}', is: false },
  { name: 'no JSON', file: '.claude/settings.json', text: '{"hooks":', is: false },
])('$name', ({ file, text = '', given, is }) => {
  if (file !== undefined) {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), text);
  }
  expect(hasCompactionHook({ cwd, env: { CLAUDE_CONFIG_DIR: join(cwd, 'config'), HOME: cwd } }, given)).toBe(is);
});

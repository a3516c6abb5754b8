import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { quickConfig } from '../../src/config/quick-config.ts';
import { resolveConfig } from '../../src/config/resolve-config.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ctxb-quick-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

it.each([
  { name: 'nothing is set', file: undefined, env: {} },
  { name: 'only other variables are', file: undefined, env: { CTXB_RUN: 'x', CTXB_INBOX: 'y' } },
  { name: 'a file says something', file: '{"thresholds":{"compact":0.6}}', env: {} },
  { name: 'a variable does', file: undefined, env: { CTXB_TOOLS_MODE: 'off' } },
])('matches the full resolution when $name', async ({ file, env }) => {
  if (file !== undefined) writeFileSync(join(cwd, '.contextbudgetrc'), file);
  const { sources: _, ...resolved } = await resolveConfig({ cwd, env });
  expect(await quickConfig({ cwd, env })).toMatchObject(resolved);
  expect(resolved.findings).toEqual([]);
});

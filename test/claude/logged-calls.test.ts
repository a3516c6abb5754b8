import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loggedCalls, loggedMicroUsd } from '../../src/claude/logged-calls.ts';

it.each([
  { name: 'the API', idOf: (at: number) => `msg_${at}` },
  { name: 'a gateway that gives all calls one id', idOf: () => 'msg_1' },
])('calls of $name count once each', ({ idOf }) => {
  const folder = mkdtempSync(join(tmpdir(), 'ctxb-logged-'));
  const rows = [20_000, 40_000, 60_000].flatMap((cache_read_input_tokens, at) => {
    const usage = { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens, output_tokens: 100 };
    const content = [{ type: 'tool_use', id: `t${at}`, name: 'Bash', input: { command: 'ls' } }];
    const message = { id: idOf(at), role: 'assistant', model: 'claude-sonnet-4-5', content, stop_reason: 'tool_use' };
    const row = { type: 'assistant', sessionId: 's1', uuid: `a${at}`, message: { ...message, usage } };
    const result = [{ type: 'tool_result', tool_use_id: `t${at}`, content: 'ok' }];
    return [row, row, { type: 'user', sessionId: 's1', uuid: `u${at}`, message: { role: 'user', content: result } }];
  });
  const log = join(folder, 's1.jsonl');
  writeFileSync(log, rows.map((row) => `${JSON.stringify({ ...row, timestamp: '2026-09-01T00:00:00Z' })}\n`).join(''));
  const calls = loggedCalls([log]);
  rmSync(folder, { recursive: true });
  expect(calls.size).toBe(3);
  expect(loggedMicroUsd(calls, {})).toBe(3 * 30 + 120_000 * 0.3 + 300 * 15);
});

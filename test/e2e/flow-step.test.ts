import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { readClaudeArguments } from '../../src/claude/claude-arguments.ts';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { runStep } from '../../src/flow/run/run-step.ts';
import { startWorld } from '../support/claude.ts';

const SILENT = {
  notice() {},
  decision() {},
  status() {},
  relay() {},
  ended() {},
  clear() {},
  ask: async () => undefined,
};

it('returns the answer, and passes on every line of claude', async () => {
  await using world = await startWorld({ calls: [{ text: 'the answer' }] });
  const { env, cwd } = world.scratch;
  const invocation = readClaudeArguments(['-p', '--output-format', 'stream-json', '--verbose']);
  if (invocation.kind !== 'headless') throw new Error('expected a headless run');
  const lines: string[] = [];
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const end = await runStep(
    {
      program: world.claude,
      invocation,
      config: DEFAULTS,
      prompt: 'go',
      timeoutSeconds: undefined,
      stop: new AbortController().signal,
    },
    { stdin, stdout, stderr, env, cwd },
    SILENT,
    (text) => void lines.push(text),
  );
  expect(end).toMatchObject({ measured: { exit_code: 0 }, output: 'the answer' });
  expect(lines.map((line) => JSON.parse(line).type)).toEqual(expect.arrayContaining(['system', 'assistant', 'result']));
});

import { PassThrough, Transform } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { runStep } from '../../src/flow/run/run-step.ts';
import { readClaudeArguments } from '../../src/session/claude-arguments.ts';
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

it('has the answer also where what it says is written slowly', async () => {
  await using world = await startWorld({ calls: [{ text: 'the answer' }] });
  const { env, cwd } = world.scratch;
  const invocation = readClaudeArguments(['-p', '--output-format', 'stream-json', '--verbose']);
  if (invocation.kind !== 'headless') throw new Error('expected a headless run');
  const written: Buffer[] = [];
  const stream = new Transform({
    highWaterMark: 1,
    transform(chunk: Buffer, _, done) {
      written.push(chunk);
      void delay(100).then(() => done());
    },
  });
  stream.resume();
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
    { stream, watcher: SILENT },
    () => performance.now(),
  );
  expect(end).toMatchObject({ exitCode: 0, output: 'the answer' });
  expect(Buffer.concat(written).toString()).toContain('"result":"the answer"');
});

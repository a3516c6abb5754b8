import { expect, it } from 'vitest';
import { nameOf } from '../../src/core/governor/decisions.ts';
import { promptLine, startWorld } from '../support/claude.ts';
import { conversation, mainRequests, summaryRequests, userTexts } from '../support/conversation.ts';
import {
  journal,
  LARGE_WINDOW,
  outputLines,
  PROTOCOL,
  prompts,
  runCtxb,
  SMALL_WINDOW,
  startCtxb,
} from '../support/ctxb.ts';
import { inSoak } from '../support/size.ts';
import type { Calls } from '../support/standin/scenario.ts';

// The levels of large windows have daily tests in `windows.test.ts`.
inSoak('a fixed window of 200k: 432,000 tokens of a [1m] model are 43 %', async () => {
  await using world = await startWorld(conversation({ turns: [3, 1], from: 400_000, growBy: 16_000 }));
  const record = `${world.scratch.cwd}/run.ndjson`;
  const run = await runCtxb(world, { flags: ['--record', record, ...prompts('one', 'two')], claude: LARGE_WINDOW });

  expect(run.code).toBe(0);
  expect(summaryRequests(world.standin)).toHaveLength(0);
  expect(journal(world).map(nameOf)).toEqual(['mid-turn:trigger']);
});

inSoak('text after /compact: a waiting prompt is not an argument of the command, and is answered', async () => {
  await using world = await startWorld(conversation({ turns: [3, 1], from: 140_000, growBy: 10_000 }));
  const run = await runCtxb(world, { flags: prompts('first', 'second: answer me'), claude: SMALL_WINDOW });

  expect(run.stdout.toString()).toBe('answer 1\nanswer 2\n');
  expect(summaryRequests(world.standin)).toHaveLength(1);
  expect(userTexts(summaryRequests(world.standin)[0]).join('\n')).not.toContain('answer me');
  expect(userTexts(mainRequests(world.standin).at(-1)).at(-1)).toBe('second: answer me');
});

it('a latch left by a native compaction does not compact the emptied context again', async () => {
  // Crosses 0.78 and then claude's own trigger in one turn; the next turn starts from a small context.
  await using world = await startWorld(conversation({ turns: [9, 1], from: 100_000, growBy: 10_000 }));
  const run = await runCtxb(world, { flags: prompts('long', 'short'), claude: SMALL_WINDOW });

  expect(run.stdout.toString()).toBe('answer 1\nanswer 2\n');
  expect(summaryRequests(world.standin)).toHaveLength(1);
  expect(journal(world).map(nameOf)).not.toContain('compact');
});

inSoak('an error turn followed by a hidden turn still exits 1', async () => {
  const base = conversation({ turns: [1, 2], from: 150_000, growBy: 8_000 });
  await using world = await startWorld({ ...base, calls: failingAt(2, base.calls) });
  const program = startCtxb(world, {
    flags: ['--compact-when', 'boundary'],
    claude: [...SMALL_WINDOW, ...PROTOCOL],
    env: { CLAUDE_CODE_MAX_RETRIES: '0' },
  });
  for (const prompt of ['works', 'fails']) {
    program.send(promptLine(prompt));
    await program.waitForLine((line) => line.type === 'result');
  }
  await world.standin.waitFor((request) => request.kind === 'summary');
  program.stdin.end();
  const run = await program.finished;

  const results = outputLines(run).filter((line) => line.type === 'result');
  expect(results.map((line) => line.is_error)).toEqual([false, true]);
  expect(journal(world).find(({ kind }) => kind === 'compacted')).toMatchObject({ verdict: 'success' });
  expect(run.code).toBe(1);
});

function failingAt(at: number, calls: Calls): Calls {
  if (typeof calls !== 'function') throw new Error('expected a function scenario');
  const refusal = { status: 400, type: 'invalid_request_error', message: 'refused' };
  return (request, index) => (index >= at ? { error: refusal } : calls(request, index));
}

import { expect, it } from 'vitest';
import { bash, converse, FREE, runTrial } from '../sdk/trial.ts';
import { THROUGH_SHIM } from '../sdk/ways.ts';
import { testClaude } from '../support/claude.ts';
import { mainRequests, summaryRequests } from '../support/conversation.ts';
import { expectExact } from '../support/exact-job.ts';
import { contextOf } from '../support/results.ts';
import type { Call, RecordedRequest } from '../support/standin/scenario.ts';

/** The SDK sends any control request so, but does not say it in its types. */
interface Asking {
  request(body: { readonly subtype: string }): Promise<{ readonly response: Verdict }>;
}

interface Verdict {
  readonly done: boolean;
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
}

/** Ten commands that print much, and an answer; then an answer to each prompt. */
function reading(request: RecordedRequest, index: number): Call {
  const context = contextOf(request);
  return index < 10 ? { ...bash(`seq ${index} 4000`), context } : { text: `answer ${index}`, context };
}

it('an Agent SDK program that asks for a compaction gets a true verdict', async () => {
  const verdicts: Verdict[] = [];
  const sizes: number[] = [];
  const env = { CTXB_CLAUDE: await testClaude(), CTXB_COMPACTION_HOW: 'auto', CTXB_THRESHOLDS_COMPACT: '85%' };
  await runTrial(
    {
      name: 'a request of its own',
      scenario: () => ({ calls: reading }),
      async run(trial) {
        await converse(trial, ['one', 'two', 'three'], FREE, async (message, conversation, answered) => {
          if (message.type !== 'result' || answered === 3) return;
          const { response } = await (conversation as unknown as Asking).request({ subtype: 'compact' });
          verdicts.push(response);
        });
        sizes.push(...mainRequests(trial.world.standin).map((request) => contextOf(request)));
        expect(summaryRequests(trial.world.standin)).toEqual([]);
        expectExact(trial.world.standin, ['one', 'two', 'three']);
      },
    },
    THROUGH_SHIM,
    env,
  );
  const [first, again] = verdicts;
  expect(first).toMatchObject({ done: true, text: 'compacted' });
  // What the next request holds, by the API's own count.
  const measured = sizes[11] ?? 0;
  expect(Math.abs((first?.after ?? 0) - measured) / measured).toBeLessThan(0.05);
  expect(measured).toBeLessThan(0.6 * (first?.before ?? 0));
  expect(again).toMatchObject({ done: false, text: 'nothing is left to cut' });
});

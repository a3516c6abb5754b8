import { expect, it } from 'vitest';
import { startWorld, type World } from '../support/claude.ts';
import { givenTexts, mainRequests } from '../support/conversation.ts';
import { journal } from '../support/ctxb.ts';
import { contextOf, linesOf, newestWords, resultsIn } from '../support/results.ts';
import { inSoak } from '../support/size.ts';
import type { Call, RecordedRequest } from '../support/standin/scenario.ts';
import { bash, configure, file, numbered, read, runTools, storedResults } from '../support/tool-agents.ts';

const FILES = ['a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt', 'f.txt'];
/** Where the main thread is told to come to a stopping point. */
const CRITICAL = 150_000;
const AGENT = {
  description: 'Look',
  prompt: 'Look about you',
  subagent_type: 'general-purpose',
  run_in_background: false,
};
const SUBAGENTS_TOOLS = [read('long.txt'), bash('cat output.txt'), bash('cat output.txt; exit 3')];

it("the tools of a subagent have a budget of their own, and the agent learns nothing of the main thread's", async () => {
  await using world = await startWorld({ calls: mainCall, subagentCalls });
  for (const path of [...FILES, 'long.txt']) file(world, path, numbered(1_000));
  file(world, 'output.txt', numbered(400));
  configure(world, { tools: { perCall: 8_000, Bash: 2_000 } });
  const { code } = await runTools(world);

  expect(code).toBe(0);
  const [readOf, cutOf, failureOf] = subagentRequests(world).slice(1).map(newestWords);
  const mains = limits(world).slice(0, FILES.length);
  const [subs = 0] = limits(world).slice(FILES.length);
  // The main thread has used up what is planned for results, the subagent nothing.
  expect(mains.at(-1)).toBeLessThan(subs);
  expect(linesOf(readOf ?? '')).toHaveLength(subs);
  expect(readOf).toContain(`This Read returns lines 1-${subs} of 1000`);
  expect(cutOf).toContain('[ctxb cut this result to fit the tool budget. Bash cat output.txt: ');
  expect(Object.values(storedResults(world))).toEqual([numbered(400).trimEnd()]);
  expect(failureOf).toMatch(/This result took about \d+ tokens, and 2000 are planned for one now/);
  expect(subagentRequests(world).flatMap(givenTexts).join('\n')).not.toMatch(
    /Context budget:|Budget Alert|BUDGET CRIT/,
  );
  expect(newestWords(mainRequests(world.standin).at(-1))).toMatch(/Context budget: 7\d % used .* nearly full/);
});

inSoak('cuts the answer of a subagent as a result of the main thread', async () => {
  const report = numbered(1_000);
  await using world = await startWorld({
    calls: [{ tools: [{ name: 'Agent', input: AGENT }] }, { text: 'done' }],
    subagentCalls: [{ text: report }],
  });
  await runTools(world);

  const [result] = resultsIn(mainRequests(world.standin).at(-1));
  expect(Object.values(storedResults(world))).toEqual([report]);
  expect(result?.text.length).toBeLessThan(8_000 * 4);
  expect(result?.text).toContain('1: words of this line');
  expect(result?.text).toContain('1000: words of this line');
});

function mainCall(request: RecordedRequest, index: number): Call {
  const path = FILES[index];
  if (path !== undefined) return { tools: [read(path)], context: contextOf(request) };
  if (index === FILES.length) return { tools: [{ name: 'Agent', input: AGENT }], context: CRITICAL };
  return { text: 'done', context: CRITICAL + 500 };
}

function subagentCalls(request: RecordedRequest, index: number): Call {
  const tool = SUBAGENTS_TOOLS[index];
  const context = contextOf(request, 10_000);
  return tool === undefined ? { text: 'The subagent is done.', context } : { tools: [tool], context };
}

function subagentRequests({ standin }: World): RecordedRequest[] {
  return standin.requests.filter(({ kind }) => kind === 'subagent');
}

function limits(world: World): number[] {
  return journal(world).flatMap((decision) =>
    decision.kind === 'tool-budget' && decision.of === 'call' ? [decision.value] : [],
  );
}

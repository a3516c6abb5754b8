import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startWorld, type World } from '../support/claude.ts';
import { mainRequests, summaryRequests, userTexts } from '../support/conversation.ts';
import { job } from '../support/exact-job.ts';
import { interactiveClaude, say, settleIn } from '../support/interactive.ts';
import { installPlugin } from '../support/plugin.ts';
import type { Call, RecordedRequest } from '../support/standin/scenario.ts';

const UNASKED = ['--dangerously-skip-permissions'];
const poll = <T>(look: () => T) => expect.poll(look, { timeout: 60_000 });

it('compacts before waiting prompts, or after the turn that they begin; each prompt arrives once, in order', {
  timeout: 180_000,
}, async () => {
  const { scenario, goOn } = heldAt([13, 16]);
  await using world = await startWorld(scenario);
  settleIn(world);
  await installPlugin(world);
  const asked = () => mainRequests(world.standin).length;
  await using claude = interactiveClaude(world, UNASKED);
  await claude.shows(/ctxb░+notmeasuredyet/);
  await say(claude, 'one');
  await poll(asked).toBe(14);
  // The answer to the last call of the turn waits: these begin the next turn.
  await say(claude, 'two');
  await say(claude, 'three');
  await poll(() => logged(world, '"operation":"enqueue"')).toBe(2);
  await claude.shows(/compactiondue/);
  goOn();
  await poll(asked).toBe(17);
  const [before, next] = mainRequests(world.standin).slice(13);
  expect(saidIn(next)).toEqual(['one', 'two', 'three']);
  // claude may begin the next turn before it hears the plugin: the end of that is the next chance.
  const wasInTime = lengthOf(next) < lengthOf(before);

  // A call in the middle of a turn waits: this goes out beside the results of its tools.
  await say(claude, 'four');
  await poll(() => logged(world, '"operation":"enqueue"')).toBe(3);
  goOn();
  await claude.shows(/answer2/);
  await poll(() => compactions(world)).toBe(1);
  await say(claude, 'five');
  await claude.shows(/answer3/);
  if (wasInTime) await poll(() => compactions(world)).toBe(2);
  await say(claude, 'six');
  await claude.shows(/answer4/);
  expect(saidIn(mainRequests(world.standin).at(-1))).toEqual(['one', 'two', 'three', 'four', 'five', 'six']);
  expect(summaryRequests(world.standin)).toEqual([]);
});

/** A job of which the answers to some calls wait, one after the other, until it is to go on. */
function heldAt(held: readonly number[]) {
  const { calls } = job({ turns: [14, 6, 8, 1] });
  if (typeof calls !== 'function') throw new Error('a job answers to what it is asked');
  const open: (() => void)[] = [];
  const gates = held.map(() => new Promise<void>((resolve) => open.push(resolve)));
  const answer = (request: RecordedRequest, index: number): Call => {
    const until = gates[held.indexOf(index)];
    return { ...calls(request, index), ...(until && { until }) };
  };
  return { scenario: { calls: answer }, goOn: () => open.shift()?.() };
}

const lengthOf = (request: RecordedRequest | undefined) => request?.body.messages?.length ?? 0;

const SAID = /^(?:\[ctxb\] The user said while you worked:\n)?(one|two|three|four|five|six)\s*$/;

function saidIn(request: RecordedRequest | undefined): string[] {
  return userTexts(request).flatMap((text) => SAID.exec(text)?.[1] ?? []);
}

/** How often it stands in the session's log. */
function logged({ scratch }: World, text: string): number {
  const projects = `${scratch.env.CLAUDE_CONFIG_DIR}/projects`;
  const log = readdirSync(projects, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('.jsonl'));
  return readFileSync(`${projects}/${log}`, 'utf8').split(text).length - 1;
}

const compactions = (world: World) => logged(world, '"compact_boundary"');

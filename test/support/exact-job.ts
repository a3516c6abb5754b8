import { expect } from 'vitest';
import { mainRequests, summaryRequests, userTexts } from './conversation.ts';
import type { Call, RecordedRequest, Scenario } from './standin/scenario.ts';
import type { Standin } from './standin/server.ts';

/** Tokens of a job's first call, and of each result of a tool in a request. */
const FIRST = 20_000;
const GROWTH = 20_000;

export interface Job {
  /** Calls of each turn: all but the last of them use a tool. */
  readonly turns: readonly number[];
  readonly growBy?: number;
}

/** A job whose context is as large as what its requests still hold: it falls with what a compaction takes away. */
export function job({ turns, growBy = GROWTH }: Job): Scenario {
  const script = turns.flatMap((calls, turn) =>
    Array.from({ length: calls }, (_, call) =>
      call + 1 < calls ? step(`${turn + 1}.${call + 1}`) : { text: `answer ${turn + 1}` },
    ),
  );
  return {
    calls: (request, index) => ({
      ...(script[index] ?? { text: 'Nothing more.' }),
      context: contextOf(request, growBy),
    }),
  };
}

export function contextOf({ body }: RecordedRequest, growBy = GROWTH): number {
  const results = JSON.stringify(body.messages ?? []).split('"type":"tool_result"').length - 1;
  return FIRST + growBy * results;
}

/** A tool call that leaves `did N` behind. */
function step(name: string): Call {
  return { tools: [{ name: 'Bash', input: { command: `echo did ${name}`, description: `Step ${name}` } }] };
}

/**
 * What an exact compaction promises, by the requests: no summary was asked for, every prompt was said once, whole, in
 * its place, and each later request still holds all prompts before it, in order, each once.
 */
export function expectExact(standin: Standin, prompts: readonly string[]): void {
  expect(summaryRequests(standin)).toEqual([]);
  let known = 0;
  for (const request of mainRequests(standin)) {
    const said = userTexts(request)
      .map((text) => text.replace(/\n$/, ''))
      .filter((text) => prompts.includes(text));
    expect(said).toEqual(prompts.slice(0, said.length));
    expect(said.length).toBeGreaterThanOrEqual(known);
    known = said.length;
  }
  expect(known).toBe(prompts.length);
}

import { isInjectedTurn } from '../core/governor/conversation/visibility.ts';
import { costUsd } from '../core/governor/cost/cost.ts';
import { isDecision } from '../core/governor/decisions.ts';
import { initialState } from '../core/governor/initial-state.ts';
import { inTurn } from '../core/governor/prompts/mailbox.ts';
import { type RecordLine, readRecord, readRecordedRun } from '../core/governor/record.ts';
import { savedUsd } from '../core/governor/relief/accounts.ts';
import { readBlocks } from '../core/protocol/blocks.ts';
import type { Block } from '../core/protocol/events.ts';
import { contextOf } from '../core/protocol/usage.ts';
import { createHost, type GovernorHost, type Judged } from '../host/governor-host.ts';
import type { RecordedRequest } from '../standin/scenario.ts';

export type DemoFacts = ReturnType<typeof readFacts>;

/** One prompt's turn. Tokens throughout. */
export type TurnFacts = ReturnType<typeof begunTurns>[number];

export function readFacts(record: readonly RecordLine[]) {
  const played = [...playRecord(record)];
  const last = played.at(-1)?.after;
  return {
    version: last?.session.version,
    model: last?.session.model,
    window: last?.gauge.window.tokens,
    turns: played.flatMap((line, at) => begunTurns(line, played.slice(at + 1))),
    decisions: played.flatMap(({ actions }) => actions.filter(isDecision)),
    /** claude's own count, in US dollars, and what claude alone would have paid more. */
    costUsd: last === undefined ? 0 : costUsd(last),
    savedUsd: last === undefined ? 0 : savedUsd(last),
  };
}

export function* playRecord(record: readonly RecordLine[]): Generator<Judged> {
  let host: GovernorHost | undefined;
  for (const entry of record) {
    const fields = { ...entry };
    const run = readRecordedRun(fields);
    if (run) host = createHost(initialState(run));
    const input = run === undefined ? readRecord(fields, 0) : undefined;
    if (host !== undefined && input !== undefined) yield host.feed(input);
  }
}

/** The turn that a line begins; the same line may carry the result of the one before. @param rest what comes then */
function begunTurns(line: Judged, rest: readonly Judged[]) {
  if (!begins(line)) return [];
  const end = rest.findIndex(begins);
  const own = rest.slice(0, end === -1 ? undefined : end + 1).filter(({ before }) => !isInjectedTurn(before));
  const contexts = own.filter(isCall).map(({ after }) => after.gauge.used);
  const result = own.map(({ input }) => input.event).findLast((event) => event.kind === 'result');
  return [
    {
      calls: contexts.length,
      /** Context of its first and of its last call; 0 without calls. */
      first: contexts[0] ?? 0,
      last: contexts.at(-1) ?? 0,
      /** Input side of `result.usage`: the sum over all calls of the turn; undefined without a result. */
      sum: result?.usage && contextOf(result.usage),
      failed: result?.isError === true,
    },
  ];
}

function begins({ before, after }: Judged): boolean {
  return after.turn.phase === 'sent' && before.turn.phase !== 'sent' && inTurn(after).length > 0;
}

function isCall({ before, after }: Judged): boolean {
  return after.gauge.calls > before.gauge.calls;
}

export type Sighting = Readonly<ReturnType<typeof sightings>[number]>;

/** How often each of the demo's prompts stands in a request of the main conversation as a text of its own. */
export function sightings(requests: readonly RecordedRequest[], prompts: readonly string[]) {
  return requests.flatMap(({ kind, body }) => {
    if (kind !== 'main' && kind !== 'summary') return [];
    const blocks = (body.messages ?? []).flatMap(({ role, content }) =>
      role === 'assistant' ? [] : readBlocks(content),
    );
    return [{ kind, said: prompts.map((prompt) => blocks.filter((block) => isSaid(block, prompt)).length) }];
  });
}

function isSaid(block: Block, prompt: string): boolean {
  return block.type === 'text' && block.text.trim() === prompt;
}

/**
 * How often the prompt reached the model. Each request repeats the whole conversation, so only an increase over the
 * request before counts.
 */
export function arrivals(seen: readonly Sighting[], prompt: number): number {
  const counts = mainRequests(seen).map(({ said }) => said[prompt] ?? 0);
  return counts.reduce((sum, count, index) => sum + Math.max(0, count - (counts[index - 1] ?? 0)), 0);
}

function mainRequests(seen: readonly Sighting[]): Sighting[] {
  return seen.filter(({ kind }) => kind === 'main');
}

import { isInjectedTurn } from '../core/governor/conversation/visibility.ts';
import { costUsd } from '../core/governor/cost/cost.ts';
import { isDecision } from '../core/governor/decisions.ts';
import { initialState } from '../core/governor/initial-state.ts';
import { inTokens } from '../core/governor/policy.ts';
import { inTurn } from '../core/governor/prompts/mailbox.ts';
import { type RecordLine, readRecord, readRecordedRun } from '../core/governor/record.ts';
import { readBlocks } from '../core/protocol/blocks.ts';
import type { Block } from '../core/protocol/events.ts';
import { contextOf } from '../core/protocol/usage.ts';
import { createHost, type GovernorHost, type Judged } from '../host/governor-host.ts';
import type { RecordedRequest } from '../standin/scenario.ts';

export type DemoFacts = ReturnType<typeof readFacts>;

/** One prompt's turn. Tokens throughout. */
export type TurnFacts = ReturnType<typeof begunTurns>[number];

/** A compaction in mid-turn, at claude's own trigger. */
export type NativeCompaction = DemoFacts['native'][number];

export function readFacts(record: readonly RecordLine[]) {
  const played = [...playRecord(record)];
  const last = played.at(-1)?.after;
  const levelOf = (name: 'warn' | 'compact') =>
    last === undefined ? 0 : inTokens(last.run.policy.thresholds[name], last.gauge.window.tokens);
  return {
    version: last?.session.version,
    model: last?.session.model,
    window: last?.gauge.window.tokens,
    /** Thresholds of the run, in tokens. */
    levels: { warn: levelOf('warn'), compact: levelOf('compact') },
    turns: played.flatMap((line, at) => begunTurns(line, played.slice(at + 1))),
    decisions: played.flatMap(({ actions }) => actions.filter(isDecision)),
    native: played.flatMap((line, at) => nativeOf(line, played.slice(at + 1))),
    /** claude's own count, in US dollars. */
    costUsd: last === undefined ? 0 : costUsd(last),
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
      prompt: inTurn(line.after)[0]?.text ?? '',
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

function nativeOf({ input: { event }, after }: Judged, rest: readonly Judged[]) {
  if (event.kind !== 'boundary' || event.trigger !== 'auto') return [];
  const next = rest.find(isCall);
  return [
    {
      /** Number of the turn it came in, from 0. */
      turn: after.turn.ended,
      before: event.preTokens,
      /** Context of the next call, when there was one. */
      after: next?.after.gauge.used,
      /** What ctxb kept of it, where it was an exact one. */
      exact: next?.actions.find((action) => action.kind === 'landed')?.exact,
    },
  ];
}

export type Sighting = Readonly<ReturnType<typeof sightings>[number]>;

/**
 * The demo's prompts in the requests of the main conversation and in those for summaries, as counts in their order. `said`:
 * as a text of its own, sent by the user. `quoted`: inside a longer text, handed back by ctxb.
 */
export function sightings(requests: readonly RecordedRequest[], prompts: readonly string[]) {
  return requests.flatMap(({ kind, body }) => {
    if (kind !== 'main' && kind !== 'summary') return [];
    const blocks = (body.messages ?? []).flatMap(({ role, content }) =>
      role === 'assistant' ? [] : readBlocks(content),
    );
    const count = (fits: (block: Block, prompt: string) => boolean) =>
      prompts.map((prompt) => blocks.filter((block) => fits(block, prompt)).length);
    return [{ kind, said: count(isSaid), quoted: count(isQuoted) }];
  });
}

function isSaid(block: Block, prompt: string): boolean {
  return block.type === 'text' && block.text.trim() === prompt;
}

/** claude puts the output of hooks into reminders, at the end of tool results, or into system messages. */
function isQuoted(block: Block, prompt: string): boolean {
  const hasText = block.type === 'text' || block.type === 'tool_result';
  return hasText && block.text.includes(prompt) && !isSaid(block, prompt);
}

/**
 * How often the prompt reached the model. Each request repeats the whole conversation, so only an increase over the
 * request before counts.
 */
export function arrivals(seen: readonly Sighting[], prompt: number): number {
  const counts = mainRequests(seen).map(({ said }) => said[prompt] ?? 0);
  return counts.reduce((sum, count, index) => sum + Math.max(0, count - (counts[index - 1] ?? 0)), 0);
}

/** Requests in which the prompt stands only because it was handed back. */
export function handedBack(seen: readonly Sighting[], prompt: number): number {
  return mainRequests(seen).filter(({ said, quoted }) => said[prompt] === 0 && (quoted[prompt] ?? 0) > 0).length;
}

/** Whether a request for a summary held a prompt that had not been sent yet: it would be lost in the summary. */
export function hasMixedIn(seen: readonly Sighting[]): boolean {
  return seen.some(
    ({ kind, said }, at) =>
      kind === 'summary' && said.some((count, prompt) => count > 0 && !wasSaid(seen.slice(0, at), prompt)),
  );
}

function wasSaid(seen: readonly Sighting[], prompt: number): boolean {
  return mainRequests(seen).some(({ said }) => (said[prompt] ?? 0) > 0);
}

function mainRequests(seen: readonly Sighting[]): Sighting[] {
  return seen.filter(({ kind }) => kind === 'main');
}

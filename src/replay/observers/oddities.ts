import { isAnswer, isSaid } from '../../core/governor/facts.ts';
import type { Gauge } from '../../core/governor/gauge/gauge.ts';
import { saysNothing } from '../../core/protocol/usage.ts';
import type { Observer, Seen } from './seen.ts';

/**
 * - `drop`: the context became smaller and no boundary said so
 * - `boundary-without-drop`: a compaction after which the context was as large as before it
 * - `larger-window`: a context was larger than the window was taken for
 * - `no-usage`: a call whose usage is all zero: an API error, a back-end that counts nothing
 * - `other-model`: a call of another model than the one before it
 */
export type OddityKind = 'drop' | 'boundary-without-drop' | 'larger-window' | 'no-usage' | 'other-model';

/**
 * Why a context became smaller, as the lines before it show.
 * - `micro-compaction`: claude said that it took old results of tools out
 * - `context-editing`: it happened between two calls of one turn, where nothing was said
 * - `resume`: claude was ended, or another session came in between
 * - `plan`: a plan was accepted, to be carried out in an empty context
 * - `rewind`: the turn before was interrupted or taken back
 * - `pause`: nothing was said for over an hour, after which claude leaves out what no cache holds any more
 * - `model`: another model goes on, which is given less or counts otherwise
 */
export type DropCause =
  | 'micro-compaction'
  | 'context-editing'
  | 'resume'
  | 'plan'
  | 'rewind'
  | 'pause'
  | 'model'
  | 'unexplained';

export interface Oddity {
  readonly kind: OddityKind;
  /** Only for a drop. */
  readonly cause: DropCause | null;
  readonly count: number;
  /** The first `MOST_EXAMPLES` of them. */
  readonly examples: readonly OddityExample[];
}

export interface OddityExample {
  /** Number of the main-thread call, from 1: the one at which it showed. */
  readonly call: number;
  /** Line of the recording, from 1. */
  readonly line: number;
  /** What was expected and what was found: tokens of context, or of the window; models for `other-model`. */
  readonly expected: number | string | null;
  readonly found: number | string | null;
}

/** Examples that are kept of each oddity. */
const MOST_EXAMPLES = 5;

/** A context that is not smaller than this share of the one before a boundary has not become smaller. */
const SAME_SIZE = 0.9;

export function createOddities(): Observer<readonly Oddity[]> {
  const oddities = new Map<string, Oddity>();
  const signs = createDropSigns();
  let lastModel: string | undefined;
  /** Id of the last message that came without usage. */
  let silent: string | undefined;
  /** Context before a boundary that no call has followed yet. */
  let beforeBoundary: number | undefined;

  function note(kind: OddityKind, example: OddityExample, cause: DropCause | null = null): void {
    const key = `${kind} ${cause ?? ''}`;
    const { count = 0, examples = [] } = oddities.get(key) ?? {};
    const kept = examples.length < MOST_EXAMPLES ? [...examples, example] : examples;
    oddities.set(key, { kind, cause, count: count + 1, examples: kept });
  }

  function seeLine(seen: Seen): void {
    const { line, input, before, after } = seen;
    const { event } = input;
    signs.see(seen);
    if (event.kind === 'boundary') beforeBoundary = event.preTokens ?? before.gauge.used;
    if (!isAnswer(event) || event.usage === undefined || !saysNothing(event.usage) || event.messageId === silent)
      return;
    silent = event.messageId;
    note('no-usage', { call: after.gauge.calls + 1, line, expected: null, found: 0 });
  }

  function seeCall(seen: Seen): void {
    const { before, after, line } = seen;
    const { used, window, foreseen, calls } = after.gauge;
    const at = { call: calls, line };
    const cause = signs.atCall(seen);
    if (droppedTokens(before.gauge, after.gauge) > 0) {
      note('drop', { ...at, expected: foreseen ?? null, found: used }, cause);
    }
    const believed = before.gauge.window.tokens;
    const isSameModel = before.gauge.windowModel === after.gauge.windowModel;
    if (isSameModel && window.source === 'raised' && believed !== undefined && believed !== window.tokens) {
      note('larger-window', { ...at, expected: believed, found: used });
    }
    if (beforeBoundary !== undefined && used > beforeBoundary * SAME_SIZE) {
      note('boundary-without-drop', { ...at, expected: beforeBoundary, found: used });
    }
    beforeBoundary = undefined;
  }

  function seeModel({ line, input: { event }, after }: Seen): void {
    if (!isAnswer(event) || event.model === undefined || event.usage === undefined || saysNothing(event.usage)) return;
    if (lastModel !== undefined && lastModel !== event.model) {
      note('other-model', { call: after.gauge.calls, line, expected: lastModel, found: event.model });
    }
    lastModel = event.model;
  }

  return {
    see(seen) {
      seeModel(seen);
      if (seen.after.facts.call) seeCall(seen);
      else seeLine(seen);
    },
    found: () => [...oddities.values()],
  };
}

/** A pause after which claude leaves out old results of tools, in milliseconds (seen in public session logs). */
const LONG_PAUSE = 60 * 60 * 1000;

/** The surest first. */
const SIGNS = ['micro-compaction', 'resume', 'plan', 'model', 'pause', 'rewind', 'context-editing'] as const;
type Sign = (typeof SIGNS)[number];

/** Openings of what stands in a user's place when a session ends, a turn is broken off, or a plan is accepted. */
const OPENINGS: readonly (readonly [string, Sign])[] = [
  ['<command-name>/exit</command-name>', 'resume'],
  ['<command-name>/resume</command-name>', 'resume'],
  ['<command-name>/rewind</command-name>', 'rewind'],
  ['[Request interrupted by user', 'rewind'],
  ['Implement the following plan:', 'plan'],
];

/** Gathers what the lines between two calls show of a reason for the context to become smaller. */
function createDropSigns() {
  const signs = new Set<Sign>();
  let prompted = false;
  let last: { readonly t: number; readonly model: string | undefined } | undefined;

  function noteOpening(text: string): void {
    const found = OPENINGS.find(([opening]) => text.startsWith(opening));
    if (found !== undefined) signs.add(found[1]);
  }

  return {
    /** A line that is not a call. */
    see({ input: { event }, after }: Seen): void {
      if (event.kind === 'known' && event.name === 'system/microcompact_boundary') signs.add('micro-compaction');
      if (after.facts.left !== undefined) signs.add('resume');
      if (!isSaid(event)) return;
      for (const block of event.blocks) if (block.type === 'text') noteOpening(block.text);
      prompted ||= event.role === 'prompt';
    },
    /** Why it became smaller, if it did, at this call; and what comes then is of the next. */
    atCall({ input: { t }, after: { gauge } }: Seen): DropCause {
      const model = gauge.call?.model;
      if (!prompted) signs.add('context-editing');
      if (last?.model !== undefined && model !== undefined && last.model !== model) signs.add('model');
      if (last !== undefined && last.t > 0 && t - last.t > LONG_PAUSE) signs.add('pause');
      const cause = SIGNS.find((sign) => signs.has(sign)) ?? 'unexplained';
      signs.clear();
      prompted = false;
      last = { t, model };
      return cause;
    },
  };
}

/** A context that lost less of what was foreseen lost nothing: the estimate was off. */
const LEAST_SHARE = 0.02;

/**
 * Tokens that left the context before a call, with no boundary to say so; 0 where none did. A call that is smaller
 * than foreseen and no smaller than the one before it may just have been estimated too high.
 */
function droppedTokens(before: Gauge, after: Gauge): number {
  const { foreseen, used } = after;
  if (foreseen === undefined || used >= before.used) return 0;
  return foreseen - used > foreseen * LEAST_SHARE ? foreseen - used : 0;
}

import type { Gauge } from '../../core/governor/gauge/gauge.ts';
import type { DropCause } from '../oddity.ts';
import type { Seen } from './seen.ts';

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
export interface DropSigns {
  /** A line that is not a call. */
  see(seen: Seen): void;
  /** Why it became smaller, if it did, at this call; and what comes then is of the next. */
  atCall(seen: Seen): DropCause;
}

export function createDropSigns(): DropSigns {
  const signs = new Set<Sign>();
  let prompted = false;
  let last: { readonly t: number; readonly model: string | undefined } | undefined;

  function noteOpening(text: string): void {
    const found = OPENINGS.find(([opening]) => text.startsWith(opening));
    if (found !== undefined) signs.add(found[1]);
  }

  return {
    see({ input: { event }, before, after }) {
      if (event.kind === 'known' && event.name === 'system/microcompact_boundary') signs.add('micro-compaction');
      if (before.session.id !== undefined && before.session.id !== after.session.id) signs.add('resume');
      if (event.kind !== 'user' || event.subagent !== null) return;
      for (const block of event.blocks) if (block.type === 'text') noteOpening(block.text);
      prompted ||= event.role === 'prompt';
    },
    atCall({ input: { t }, after: { gauge } }) {
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
export function droppedTokens(before: Gauge, after: Gauge): number {
  const { foreseen, used } = after;
  if (foreseen === undefined || used >= before.used) return 0;
  return foreseen - used > foreseen * LEAST_SHARE ? foreseen - used : 0;
}

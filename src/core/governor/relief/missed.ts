import type { Block, Event } from '../../protocol/events.ts';
import { fieldsOf, textOf } from '../../protocol/fields.ts';
import { estimateTokens, measureBlock, UNCALIBRATED } from '../gauge/estimator.ts';
import type { Missed } from './economic-moment.ts';

/**
 * What was fetched, and what of it had to be fetched again because a relief took it away. Files and commands go by the
 * names of their calls.
 */
export interface Fetches {
  /** Calls under way. */
  readonly open: Readonly<Record<string, string>>;
  /**
   * - `sight`: its result is in the context.
   * - `gone`: the last relief took it away. What earlier ones took would be missed without the last one too.
   * - `habit`: it was fetched again while it was in the context, so that a relief is not the cause.
   */
  readonly known: Readonly<Record<string, 'sight' | 'gone' | 'habit'>>;
  /** After each of the last reliefs, newest last; the first is what came before any. */
  readonly missed: readonly Missed[];
}

const NOTHING: Missed = { calls: 0, tokens: 0 };

export const NO_FETCHES: Fetches = { open: {}, known: {}, missed: [NOTHING] };

/** Reliefs that are remembered, and names. */
const REMEMBERED = 8;
const NAMES = 1_000;

/** UTF-16 units of a name. */
const NAME_LENGTH = 300;

/** These tools change something, or do work of their own. */
const NOT_FETCHING = /^(?:Edit|Write|MultiEdit|NotebookEdit|TodoWrite|Agent|Task|Skill)/;

/** Until reliefs were seen: what followed each exact compaction in `npm run outcome`. */
export const USUALLY_MISSED: Missed = { calls: 1, tokens: 2_000 };

/** What is to be expected after the next relief; what is usual counts as one that was seen. */
export function missedAfterRelief({ missed }: Fetches): Missed {
  const seen = [USUALLY_MISSED, ...missed.slice(1)];
  const mean = (of: keyof Missed) => seen.reduce((sum, one) => sum + one[of], 0) / seen.length;
  return { calls: mean('calls'), tokens: mean('tokens') };
}

export function fetchesAfter(fetches: Fetches, event: Event): Fetches {
  if (event.kind === 'reset') return NO_FETCHES;
  if (event.kind === 'boundary') return afterRelief(fetches);
  if (event.kind === 'assistant' && event.subagent === null) return event.blocks.reduce(begun, fetches);
  if (event.kind !== 'user' || event.role !== 'tool-result' || event.subagent !== null) return fetches;
  return event.blocks.reduce(ended, fetches);
}

function afterRelief({ known, missed }: Fetches): Fetches {
  const still = Object.entries(known)
    .filter(([, where]) => where !== 'gone')
    .map(([name, where]) => [name, where === 'sight' ? 'gone' : where] as const);
  return { open: {}, known: Object.fromEntries(still.slice(-NAMES)), missed: [...missed, NOTHING].slice(-REMEMBERED) };
}

function begun(fetches: Fetches, block: Block): Fetches {
  if (block.type !== 'tool_use' || NOT_FETCHING.test(block.name)) return fetches;
  const { file_path, notebook_path, command } = fieldsOf(block.input);
  const of = textOf(file_path) ?? textOf(notebook_path) ?? textOf(command) ?? JSON.stringify(block.input);
  return { ...fetches, open: { ...fetches.open, [block.id]: `${block.name} ${of}`.slice(0, NAME_LENGTH) } };
}

function ended(fetches: Fetches, block: Block): Fetches {
  if (block.type !== 'tool_result') return fetches;
  const { [block.toolUseId]: name, ...open } = fetches.open;
  if (name === undefined) return fetches;
  const where = fetches.known[name];
  const known = {
    ...fetches.known,
    [name]: where === 'sight' || where === 'habit' ? ('habit' as const) : ('sight' as const),
  };
  const missed =
    where === 'gone' ? withMiss(fetches.missed, estimateTokens(measureBlock(block), UNCALIBRATED)) : fetches.missed;
  return { open, known, missed };
}

function withMiss(missed: readonly Missed[], tokens: number): readonly Missed[] {
  const { calls, tokens: before } = missed.at(-1) ?? NOTHING;
  return [...missed.slice(0, -1), { calls: calls + 1, tokens: before + tokens }];
}

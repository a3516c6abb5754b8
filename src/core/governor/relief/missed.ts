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
  readonly open: Readonly<Record<string, { readonly name: string; readonly isPage: boolean }>>;
  /**
   * - `sight`: its result is in the context.
   * - `gone`: the last relief took it away. What earlier ones took would be missed without the last one too.
   * - `habit`: it was fetched again while it was in the context, so no relief is the cause.
   */
  readonly known: Readonly<Record<string, 'sight' | 'gone' | 'habit'>>;
  /**
   * After each of the last reliefs, newest last; the first is what came before any. What is fetched again although it is
   * in sight counts against it: as much would have been fetched again in any case.
   */
  readonly missed: readonly Missed[];
}

const NOTHING: Missed = { calls: 0, tokens: 0 };

export const NO_FETCHES: Fetches = { open: {}, known: {}, missed: [NOTHING] };

/** Reliefs that are remembered. */
const REMEMBERED = 8;

/**
 * Names that are remembered, at most: they are copied with each result whose name is new, which takes 0.1 ms for as many
 * and 1.6 ms for twice as many. The older half of them is forgotten at a time.
 */
const NAMES = 500;

/** UTF-16 units of a name. */
const NAME_LENGTH = 300;

/** These tools change something, or do work of their own. */
const NOT_FETCHING = /^(?:Edit|Write|MultiEdit|NotebookEdit|TodoWrite|Agent|Task|Skill)/;

/** An assumption until reliefs were seen; near what follows exact compactions in `npm run outcome`. */
export const USUALLY_MISSED: Missed = { calls: 1, tokens: 2_000 };

/** What is to be expected after the next relief; what is usual counts as one that was seen. */
export function missedAfterRelief({ missed }: Fetches): Missed {
  const seen = [USUALLY_MISSED, ...missed.slice(1)];
  const mean = (of: keyof Missed) => Math.max(0, seen.reduce((sum, one) => sum + one[of], 0) / seen.length);
  return { calls: mean('calls'), tokens: mean('tokens') };
}

export function fetchesAfter(fetches: Fetches, event: Event): Fetches {
  if (event.kind === 'reset') return NO_FETCHES;
  if (event.kind === 'boundary') return fetchesAfterRelief(fetches);
  if (event.kind === 'assistant' && event.subagent === null) return event.blocks.reduce(begun, fetches);
  if (event.kind !== 'user' || event.role !== 'tool-result' || event.subagent !== null) return fetches;
  return event.blocks.reduce(ended, fetches);
}

export function fetchesAfterRelief({ known, missed }: Fetches): Fetches {
  const still = Object.entries(known)
    .filter(([, where]) => where !== 'gone')
    .map(([name, where]) => [name, where === 'sight' ? 'gone' : where] as const);
  return { open: {}, known: Object.fromEntries(still), missed: [...missed, NOTHING].slice(-REMEMBERED) };
}

function begun(fetches: Fetches, block: Block): Fetches {
  if (block.type !== 'tool_use' || NOT_FETCHING.test(block.name)) return fetches;
  const { file_path, notebook_path, command, offset } = fieldsOf(block.input);
  const of = textOf(file_path) ?? textOf(notebook_path) ?? textOf(command) ?? JSON.stringify(block.input);
  const call = { name: `${block.name} ${of}`.slice(0, NAME_LENGTH), isPage: offset !== undefined };
  return { ...fetches, open: { ...fetches.open, [block.id]: call } };
}

function ended(fetches: Fetches, block: Block): Fetches {
  if (block.type !== 'tool_result') return fetches;
  const { [block.toolUseId]: call, ...open } = fetches.open;
  if (call === undefined) return fetches;
  const { name, isPage } = call;
  const where = fetches.known[name];
  // The next page of a file is not the file once more.
  if (where === 'sight' && isPage) return { ...fetches, open };
  if (where === 'habit') return { ...fetches, open };
  const known = withName(fetches.known, name, where === 'sight' ? 'habit' : 'sight');
  if (where === undefined) return { ...fetches, open, known };
  return { open, known, missed: withMiss(fetches.missed, where === 'gone' ? 1 : -1, block) };
}

function withName(known: Fetches['known'], name: string, where: 'sight' | 'habit'): Fetches['known'] {
  const more = { ...known, [name]: where };
  return Object.keys(more).length <= NAMES ? more : Object.fromEntries(Object.entries(more).slice(-NAMES / 2));
}

function withMiss(missed: readonly Missed[], sign: 1 | -1, block: Block): readonly Missed[] {
  const { calls, tokens } = missed.at(-1) ?? NOTHING;
  const size = estimateTokens(measureBlock(block), UNCALIBRATED);
  return [...missed.slice(0, -1), { calls: calls + sign, tokens: tokens + sign * size }];
}

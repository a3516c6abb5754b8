import type { DropCause, Oddity, OddityKind } from '../../replay/oddity.ts';
import { tokens } from '../figures.ts';
import { onOneLine } from '../shown.ts';

const NAMES: Readonly<Record<OddityKind, string>> = {
  drop: 'the context became smaller',
  'boundary-without-drop': 'a compaction left the context as large as it was',
  'larger-window': 'the window is larger than it was taken for',
  'no-usage': 'a call without usage',
  'other-model': 'a call of another model',
};

const CAUSES: Readonly<Record<DropCause, string>> = {
  'micro-compaction': 'micro-compaction',
  'context-editing': 'in the middle of a turn, nothing was said',
  resume: 'claude was ended and went on',
  plan: 'a plan was begun anew',
  rewind: 'a turn was interrupted or taken back',
  pause: 'after a pause of over an hour',
  model: 'another model went on',
  unexplained: 'unexplained',
};

/** One line for what is out of the ordinary, with the first place where it showed. */
export function oddityText({ kind, cause, count, examples }: Oddity): string {
  const [first] = examples;
  const why = cause === null ? '' : ` (${CAUSES[cause]})`;
  const times = count === 1 ? '' : `, ${tokens(count)} times`;
  if (first === undefined) return `${NAMES[kind]}${why}${times}`;
  const place = `${count === 1 ? '' : 'first '}at call ${first.call}, line ${first.line}`;
  const figures = first.expected === null ? '' : `: ${figure(first.expected)} → ${figure(first.found)}`;
  return onOneLine(`${NAMES[kind]}${why}${times}, ${place}${figures}`);
}

function figure(value: number | string | null): string {
  return typeof value === 'number' ? tokens(value) : (value ?? 'nothing');
}

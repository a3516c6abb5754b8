import { codePoints } from '../../core/governor/gauge/token-estimate.ts';
import { sentencesOf } from '../../core/governor/prompts/sentences.ts';
import { IMPERATIVE } from '../../core/memory/notebook/constraints.ts';
import { LINE_LENGTH, quoted } from '../../core/memory/words.ts';
import { grouped } from '../pack/characters.ts';

/** What a summary is checked against. */
export interface SummaryBounds {
  /** What was to be summed up. */
  readonly output: string;
  /** Ids of steps that may be named. */
  readonly steps: ReadonlySet<string>;
  /** Code points. */
  readonly limit: number;
}

/**
 * What is wrong with a summary; undefined: nothing that can be found without understanding it. Its files, figures and
 * quotations all stand in the output, and it tells nobody what to do.
 */
export function summaryFault(text: string, { output, steps, limit }: SummaryBounds): string | undefined {
  const length = codePoints(text);
  if (!/[\p{L}\p{N}]/u.test(text)) return 'it is empty';
  if (length > limit) return `it has ${grouped(length)} characters, at most ${grouped(limit)} are taken`;
  // What stands in one is no sentence, and would not be looked at.
  if (/```|~~~/.test(text)) return 'it has a block of code';
  const demand = demandIn(text);
  if (demand !== undefined) return `it tells somebody what to do: ${quoted(demand, LINE_LENGTH)}`;
  const invented = inventedIn(text, output, steps);
  return invented === undefined ? undefined : `${quoted(invented, LINE_LENGTH)} is not in the output`;
}

/** Speaks to the reader, or says what the one who reads has to do. */
const ADDRESSES =
  /\b(?:you|your|yourself|please)\b|\b(?:agents?|assistant|reader|model|(?:next|later|following) steps?)\b.{0,30}\b(?:must|shall|should|(?:is|are|has|have|needs?) to)\b/i;
/** Begins as a demand does, besides with a verb. */
const DEMANDS = /^(?:do not|don't|never|always|disregard|forget)\b/i;
/** Poses as a message of somebody else, or as markup of one. */
const POSES =
  /<\/?(?:system|assistant|user|human|thinking|tool|instructions?)[\w:-]*>|^\s*(?:system|assistant|user|human)\s*:/im;
/** `Test results were` and `Support for lists is` begin with nouns. */
const NOUN_FIRST = /^\S+ (?:(?!the |an? |all |every |what |that |it )\S+ ){1,2}(?:is|are|was|were|has|had)\b/i;

function demandIn(text: string): string | undefined {
  if (POSES.test(text)) return POSES.exec(text)?.[0];
  const isDemand = (words: string) =>
    ADDRESSES.test(words) || DEMANDS.test(words) || (IMPERATIVE.test(words) && !NOUN_FIRST.test(words));
  return sentencesOf(text).find((sentence) => isDemand(sentence.text.replace(/^[^\p{L}<]+/u, '')))?.text;
}

const QUOTED = /`([^`]+)`|"([^"]+)"/g;
const FILE = /[\w@~.-]*(?:\/[\w@.-]+)+|[\w-]+\.[a-z]\w{0,4}\b/gi;
const FIGURE = /\d+(?:[.,:]\d+)*/g;
const NO_FILE = /^(?:and\/or|e\.g|i\.e)$/i;

/** The first name of a summary that the output does not have: of quotations but ids of steps, of files, of figures. */
function inventedIn(text: string, output: string, steps: ReadonlySet<string>): string | undefined {
  const said = plain(output);
  const figures = new Set(said.match(FIGURE));
  const quotes = [...text.matchAll(QUOTED)].map(([, tick, mark]) => plain(tick ?? mark ?? ''));
  // The numbers of a list are its own.
  const rest = plain(text.replace(QUOTED, ' ').replace(/^\s*\d+[.)]\s/gm, ''));
  const files = (rest.match(FILE) ?? []).filter((name) => !NO_FILE.test(name) && /\p{L}/u.test(name));
  return (
    quotes.find((name) => !steps.has(name) && !hasWhole(said, name)) ??
    files.map((name) => name.replace(/[.-]+$/, '')).find((name) => !hasWhole(said, name)) ??
    rest.match(FIGURE)?.find((figure) => !figures.has(figure))
  );
}

/** `a.ts` is in `src/a.ts` and not in `data.ts`. */
function hasWhole(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const end = at + name.length;
    if (!isWithin(text.slice(at - 1, at + 1)) && !isWithin(text.slice(end - 1, end + 1))) return true;
  }
  return false;
}

/** Whether two characters are of one word. */
function isWithin(pair: string): boolean {
  return /^[\p{L}\p{N}_]{2}$/u.test(pair);
}

/** White space and separators of thousands do not count. */
function plain(text: string): string {
  return text
    .replace(/(?<=\d),(?=\d{3}\b)/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

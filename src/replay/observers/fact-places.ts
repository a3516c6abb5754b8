import type { ReportedFact } from '../../core/governor/decisions.ts';
import { isMainMessage, isMessage } from '../../core/governor/facts.ts';
import {
  commandFact,
  deadEndFact,
  type Fact,
  mentionsFact,
  pathFact,
  promptFact,
  type Searchable,
  searchable,
} from '../../core/memory/notebook/fact.ts';
import type { ToolUse } from '../../core/protocol/block.ts';
import { plainText, usesIn } from '../../core/protocol/blocks.ts';
import { fieldsOf, textsOf } from '../../core/protocol/fields.ts';
import { collapseWhitespace, LINE_LENGTH } from '../../core/text/words.ts';
import type { ObservedLine } from './observer.ts';

/** Maximum number of texts to search, the newest ones, and UTF-16 code units to search in each. */
const MAX_TEXTS = 5_000;
const PLACE_LENGTH = 4_000;

interface Place {
  readonly line: number;
  /** Number of the call that used a tool; 0 for a prompt. */
  readonly call: number;
  readonly text: () => Searchable;
}

/** Where a recording mentions a fact. */
export interface FactPlace {
  /** The last line that mentioned the fact; null if it is in another recording. */
  readonly line: number | null;
  /** Number of the first later call that asked a tool for the fact; null if no call did. */
  readonly again: number | null;
}

export function createFactPlaces() {
  const places: Place[] = [];

  function add(at: Pick<Place, 'line' | 'call'>, whole: string): void {
    const text = whole.slice(0, PLACE_LENGTH);
    let found: Searchable | undefined;
    const lazy = () => {
      found ??= searchable(text);
      return found;
    };
    if (text !== '') places.push({ ...at, text: lazy });
    if (places.length > 2 * MAX_TEXTS) places.splice(0, MAX_TEXTS);
  }

  /** Adds a prompt as it is and on one line, as facts are. */
  function addPrompt(line: number, text: string): void {
    add({ line, call: 0 }, `${collapseWhitespace(text)}\n${text}`);
  }

  return {
    see({ line, input: { event }, after }: ObservedLine): void {
      if (!isMessage(event)) return;
      if (isMainMessage(event, 'prompt')) addPrompt(line, plainText(event.blocks));
      for (const use of usesIn(event.blocks)) add({ line, call: after.gauge.calls }, inputText(use));
    },
    /** The last line before `line` that mentions a fact, and the first call from there to `end` that asks for it. */
    of(told: ReportedFact, line: number, end: number): FactPlace {
      const before = places.filter((place) => place.line < line);
      const after = places.filter((place) => place.call > 0 && place.line >= line && place.line < end);
      const fact = factOf(told);
      const isIn = ({ text }: Place) => mentionsFact(text(), fact);
      // A fact in a report may be cut.
      const begins = ({ text }: Place) => mentionsFact(text(), { ...fact, isOpen: true });
      return {
        line: (before.findLast(isIn) ?? before.findLast(begins))?.line ?? null,
        again: after.find(told.text.length < LINE_LENGTH ? isIn : begins)?.call ?? null,
      };
    },
  };
}

export function inputText({ input }: ToolUse): string {
  return textsOf(Object.values(fieldsOf(input))).join('\n');
}

function factOf({ kind, text }: ReportedFact): Fact {
  if (kind === 'paths') return pathFact(text);
  if (kind === 'deadEnds') return deadEndFact(text);
  return kind === 'prompts' ? promptFact(text) : commandFact('commands', text);
}

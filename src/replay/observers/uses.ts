import { isMainMessage, isMessage } from '../../core/governor/facts.ts';
import { estimateTokens, NO_CONTENT } from '../../core/governor/gauge/estimator.ts';
import type { GovernorState } from '../../core/governor/state.ts';
import { plainText } from '../../core/protocol/blocks.ts';
import type { Block, ToolUse } from '../../core/protocol/events.ts';
import { fieldsOf } from '../../core/protocol/fields.ts';
import type { UseSeen } from '../items-seen.ts';
import { askedIn } from './places.ts';
import type { Observer, Seen } from './seen.ts';

/** A text in the main thread's context, and the call that added it. */
interface ContextText {
  readonly text: string;
  /** A bit for each hash of its sequences: a word with a sequence whose bit is missing is not in the text. */
  readonly sequences: Uint32Array;
  readonly call: number;
  /** Tokens of a result, or of file contents that the model wrote; 0 for other texts. */
  readonly tokens: number;
}

/** Paths and figures, which identify something. */
const IDENTIFIER = /(?<![\w./@~-])(?:[~/]|\.{1,2}\/)?(?:[\w.@-]+\/)+[\w.@-]*\w|(?<![\w.-])\d{3,}(?!\w|[.-]\w)/g;

/** Tool parameters with new file contents, which the model writes itself. */
const CONTENT_KEYS = new Set(['content', 'new_string', 'new_source', 'edits', 'todos']);

/** Minimum length of a line; shorter lines occur anywhere. */
const LINE_LENGTH = 12;

/**
 * Maximum UTF-16 code units kept. Sessions stay below it, but a file of many sessions may not; then the older half is
 * dropped.
 */
const MAX_KEPT = 64 * 1024 * 1024;

const UNSEARCHED = { last: -1, result: -1, upTo: 0 };

/** Finds the earlier results that each call uses, and where the model last saw them. */
export function createUses(): Observer<ReadonlyMap<number, readonly UseSeen[]>> {
  const texts: ContextText[] = [];
  /**
   * By word: index of its last occurrence, index of its last occurrence in a result, and the end of the search so far,
   * because each text is searched once per word.
   */
  const places = new Map<string, Readonly<typeof UNSEARCHED>>();
  const uses = new Map<number, Map<number, UseSeen>>();
  /** All prompts, which stay in the context. */
  let promptText = '';
  let kept = 0;

  function placeOf(word: string) {
    const known = places.get(word) ?? UNSEARCHED;
    let [last, result] = [-1, -1];
    for (let at = texts.length - 1; at >= known.upTo && result === -1; at--) {
      const { text, sequences, tokens } = texts[at] as ContextText;
      if (!mayContain(sequences, word) || !text.includes(word)) continue;
      last = Math.max(last, at);
      if (tokens > 0) result = at;
    }
    const place = { last: Math.max(last, known.last), result: Math.max(result, known.result), upTo: texts.length };
    places.set(word, place);
    return place;
  }

  function use(word: string, call: number): void {
    const { last, result } = placeOf(word);
    const [newest, from] = [texts[last], texts[result]];
    // The previous call's content always stays.
    if (newest === undefined || from === undefined || newest.call >= call - 1 || promptText.includes(word)) return;
    const found = uses.get(call) ?? new Map<number, UseSeen>();
    const seen = Math.min(newest.call, found.get(result)?.seen ?? newest.call);
    uses.set(call, found.set(result, { seen, result, tokens: from.tokens }));
  }

  function add(blocks: readonly Block[], call: number, { facts, gauge }: GovernorState): void {
    for (const [at, block] of blocks.entries()) {
      const tokens = isContents(block) ? estimateTokens(facts.measured[at] ?? NO_CONTENT, gauge.calibration) : 0;
      const text = textIn(block);
      texts.push({ text, sequences: sequencesIn(text), call, tokens });
      kept += text.length;
    }
    if (kept > MAX_KEPT) forgetOld();
  }

  function forgetOld(): void {
    for (let at = 0; kept > MAX_KEPT / 2; at++) {
      const text = texts[at] as ContextText;
      kept -= text.text.length;
      texts[at] = { ...text, text: '', sequences: sequencesIn('') };
    }
  }

  return {
    see({ input: { event }, after }: Seen): void {
      const { calls, call } = after.gauge;
      if (!isMessage(event)) return;
      if (isMainMessage(event, 'prompt')) promptText += plainText(event.blocks);
      else if (event.kind === 'user') add(event.blocks, calls, after);
      else if (event.messageId === call?.messageId) {
        for (const word of event.blocks.flatMap(wordsIn)) use(word, calls);
        add(event.blocks, calls, after);
      }
    },
    found: () => new Map([...uses].map(([call, found]) => [call, [...found.values()]])),
  };
}

/** The words of a block that come from earlier texts: paths and figures, and the lines that an edit replaces. */
export function wordsIn(block: Block): readonly string[] {
  if (block.type === 'text') return block.text.match(IDENTIFIER) ?? [];
  if (block.type !== 'tool_use') return [];
  return stringsIn(block).flatMap(([field, text]) => {
    if (CONTENT_KEYS.has(field)) return [];
    if (field !== 'old_string') return text.match(IDENTIFIER) ?? [];
    const lines = text.split('\n').map((line) => line.trim());
    return lines.filter(({ length }) => length >= LINE_LENGTH);
  });
}

/** Whether a block contains content that can be fetched again. */
function isContents(block: Block): boolean {
  return block.type === 'tool_result' || (block.type === 'tool_use' && ownWords(block).length > 0);
}

/** The texts that the model wrote: new contents of files. */
export function ownWords(use: ToolUse): readonly string[] {
  return stringsIn(use).flatMap(([field, text]) => (CONTENT_KEYS.has(field) ? [text] : []));
}

function textIn(block: Block): string {
  if (block.type === 'tool_use') return askedIn(block);
  return 'text' in block ? block.text : '';
}

function stringsIn({ input }: ToolUse) {
  return Object.entries(fieldsOf(input)).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}

/** Length of a sequence in UTF-16 code units. Nearly all words are longer, so most searches end at the bits. */
const SEQUENCE = 4;

/** At least four bits for each character. Begins at the end, where words differ most. */
function sequencesIn(text: string): Uint32Array {
  const bits = new Uint32Array(2 ** Math.ceil(Math.log2(text.length / 8 + 1)));
  let hash = 0;
  for (let at = text.length - 1; at >= 0; at--) {
    hash = (hash << 8) ^ text.charCodeAt(at);
    const place = placeIn(bits, hash);
    bits[place] = (bits[place] as number) | bitOf(hash);
  }
  return bits;
}

function mayContain(bits: Uint32Array, word: string): boolean {
  let hash = 0;
  for (let at = word.length - 1; at >= 0; at--) {
    hash = (hash << 8) ^ word.charCodeAt(at);
    const isWhole = word.length - at >= SEQUENCE;
    if (isWhole && ((bits[placeIn(bits, hash)] as number) & bitOf(hash)) === 0) return false;
  }
  return true;
}

const placeIn = ({ length }: Uint32Array, hash: number) => (Math.imul(hash, 0x9e3779b1) >>> 12) & (length - 1);
const bitOf = (hash: number) => 1 << (Math.imul(hash, 0x9e3779b1) >>> 7);

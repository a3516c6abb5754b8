import type { Receipt } from '../../governor/decisions.ts';
import type { AssistantEvent, Block, UserEvent } from '../../protocol/events.ts';
import { jsonText } from '../../protocol/fields.ts';
import { FACT_KINDS, type Fact, holds, searchable, tallyOf } from '../notebook/fact.ts';
import { remember } from '../remember.ts';

type Relief = Receipt['relief'];

interface Open {
  readonly relief: Relief;
  readonly facts: readonly Fact[];
  /** Texts of the fresh context, by their author. */
  readonly claude: string[];
  readonly ctxb: string[];
}

/** Records what each compaction or handoff kept: searches the first request after it for the facts known before. */
export function createReceipts() {
  let open: Open | undefined;

  const receipts = {
    /** Starts a receipt when the context is replaced. An open receipt without a request is discarded. */
    begin(relief: Relief, facts: readonly Fact[]): void {
      // Counts each fact once.
      const distinct = new Map(facts.map((fact) => [`${fact.kind}\n${fact.name}`, fact]));
      open = { relief, facts: [...distinct.values()], claude: [], ctxb: [] };
    },
    /** Like begin(), but keeps an open receipt for the same relief. */
    beginOnce(relief: Relief, facts: readonly Fact[]): void {
      if (open?.relief !== relief) receipts.begin(relief, facts);
    },
    /** Discards the receipt: the context was not replaced. */
    forget(relief: Relief): void {
      if (open?.relief === relief) open = undefined;
    },
    /** Adds a text of the fresh context. @param by its author */
    holds(text: string, by: 'claude' | 'ctxb'): void {
      open?.[by].push(text);
    },
    /** Closes the receipt at the first request. Undefined if none is open, or no facts were known before. */
    settle(): Receipt | undefined {
      const found = open;
      open = undefined;
      return found === undefined || found.facts.length === 0 ? undefined : receiptOf(found);
    },
  };
  return receipts;
}

function receiptOf({ relief, facts, claude, ctxb }: Open): Receipt {
  const [own, handedBack] = [searchable(claude.join('\n')), searchable(ctxb.join('\n'))];
  const keeperOf = (fact: Fact): 'claude' | 'ctxb' | undefined => {
    if (holds(own, fact)) return 'claude';
    return holds(handedBack, fact) ? 'ctxb' : undefined;
  };
  const judged = facts.map((fact) => ({ kind: fact.kind, text: fact.name, by: keeperOf(fact) }));
  judged.sort((one, other) => FACT_KINDS.indexOf(one.kind) - FACT_KINDS.indexOf(other.kind));
  const stayed = judged.flatMap(({ by, ...fact }) => (by === undefined ? [] : [{ ...fact, by }]));
  return {
    relief,
    all: tallyOf(facts),
    kept: tallyOf(stayed),
    given: tallyOf(stayed.filter(({ by }) => by === 'ctxb')),
    gone: judged.flatMap(({ by, ...fact }) => (by === undefined ? [fact] : [])),
    stayed,
  };
}

/** claude keeps the last round, which is rarely longer than a few messages. */
const MESSAGES = 64;

/** UTF-16 units; longer messages are not stored, to save memory. */
const MESSAGE_LIMIT = 100_000;

/** The newest messages of the main thread by id: a compaction names the messages that it keeps. */
export function createRecentMessages() {
  const messages = new Map<string, string>();
  return {
    add({ uuid, blocks }: AssistantEvent | UserEvent): void {
      const text = blocks.map(textOf).join('\n');
      if (uuid !== undefined && text.length <= MESSAGE_LIMIT) remember(messages, uuid, text, MESSAGES);
    },
    textsOf: (uuids: readonly string[] = []) => uuids.flatMap((uuid) => messages.get(uuid) ?? []),
  };
}

/** Text of a block as the model reads it. */
function textOf(block: Block): string {
  if (block.type === 'text' || block.type === 'tool_result') return block.text;
  if (block.type !== 'tool_use') return '';
  const input = block.input;
  // Strings of the input are added unquoted, so that commands and paths match.
  const values = typeof input === 'object' && input !== null ? Object.values(input) : [input];
  return values.map((value) => (typeof value === 'string' ? value : jsonText(value))).join('\n');
}

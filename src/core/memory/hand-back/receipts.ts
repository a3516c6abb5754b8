import { concernsSubagent } from '../../governor/control/hook-callbacks.ts';
import type { Receipt, ReportedFact } from '../../governor/decisions.ts';
import { isAnswer, isMainMessage, isMessage } from '../../governor/facts.ts';
import type { Input } from '../../governor/input.ts';
import type { Block } from '../../protocol/block.ts';
import { plainText } from '../../protocol/blocks.ts';
import type { AssistantEvent, Event, UserEvent } from '../../protocol/events.ts';
import { fieldsOf, jsonText, textOf } from '../../protocol/fields.ts';
import { putNewest } from '../../text/put-newest.ts';
import { collapseWhitespace } from '../../text/words.ts';
import { EVIDENCE_KINDS } from '../notebook/evidence.ts';
import { countFacts, FACT_KINDS, type Fact, mentionsFact, promptFact, searchable } from '../notebook/fact.ts';
import type { Notebook } from '../notebook/notebook.ts';

type Relief = Receipt['relief'];

interface Open {
  readonly relief: Relief;
  readonly facts: readonly Fact[];
  /** Texts of the fresh context, by their author. */
  readonly claude: string[];
  readonly ctxb: string[];
}

/**
 * Records what each compaction or handoff kept: searches the first request after it for the facts known before.
 * Follows the stream for the texts of the fresh context. Mutable, with bounded size.
 */
export function createReceipts(known: () => readonly Fact[]) {
  let open: Open | undefined;
  /** The newest messages of the main thread by id: a compaction names the messages that it keeps. */
  const recent = new Map<string, string>();

  function see(event: Event): void {
    const summary = summaryIn(event);
    if (summary) receipts.relieved('compaction', [summary]);
    if (event.kind === 'boundary') replaced((event.kept ?? []).flatMap((uuid) => recent.get(uuid) ?? []));
    // claude could not apply the mod's answer, so the context was not replaced.
    if (event.kind === 'compact-status' && event.phase === 'failed' && open?.relief === 'compaction') open = undefined;
    if (!isMessage(event)) return;
    remember(event);
    if (isMainMessage(event, 'prompt') || isMainMessage(event, 'notice')) open?.claude.push(plainText(event.blocks));
  }

  function remember({ uuid, blocks }: AssistantEvent | UserEvent): void {
    const text = blocks.map(blockText).join('\n');
    if (uuid !== undefined && text.length <= MESSAGE_LIMIT) putNewest(recent, uuid, text, MESSAGES);
  }

  /** @param kept texts of unchanged messages */
  function replaced(kept: readonly string[]): void {
    receipts.relieved(
      'compaction',
      kept.flatMap((text) => [text, collapseWhitespace(text)]),
    );
  }

  const receipts = {
    /** Starts a receipt when the context is replaced. An open receipt without a request is discarded. */
    begin(relief: Relief): void {
      // Counts each fact once.
      const distinct = new Map(known().map((fact) => [`${fact.kind}\n${fact.name}`, fact]));
      open = { relief, facts: [...distinct.values()], claude: [], ctxb: [] };
    },
    /** Like begin(), but keeps an open receipt for the same relief. @param texts claude's texts in the fresh context */
    relieved(relief: Relief, texts: readonly string[]): void {
      if (open?.relief !== relief) receipts.begin(relief);
      open?.claude.push(...texts);
    },
    /** Adds texts that ctxb gives to the fresh context. */
    gave(...texts: readonly string[]): void {
      open?.ctxb.push(...texts);
    },
    /** Closes the receipt at the first request. Undefined if none is open, or no facts were known before. */
    add({ from, event }: Input): Receipt | undefined {
      if (event.kind === 'exact-receipt' && event.receipt.answered) replaced(event.kept);
      if (from === 'claude') see(event);
      if (from !== 'claude' || !isAnswer(event)) return undefined;
      const found = open;
      open = undefined;
      return found === undefined || found.facts.length === 0 ? undefined : receiptOf(found);
    },
  };
  return receipts;
}

/** A summary is in claude's hook and in its line. An exact compaction has none. */
function summaryIn(event: Event): string | undefined {
  if (event.kind !== 'control-request') return isMainMessage(event, 'summary') ? plainText(event.blocks) : undefined;
  return concernsSubagent(event) ? undefined : textOf(fieldsOf(event.request.input).compact_summary);
}

const AUTHORS = ['claude', 'ctxb'] as const;

function receiptOf({ relief, facts, claude, ctxb }: Open): Receipt {
  const texts = { claude: searchable(claude.join('\n')), ctxb: searchable(ctxb.join('\n')) };
  const gone: ReportedFact[] = [];
  const stayed: Receipt['stayed'][number][] = [];
  for (const fact of facts.toSorted((one, other) => FACT_KINDS.indexOf(one.kind) - FACT_KINDS.indexOf(other.kind))) {
    const { kind, name: text } = fact;
    const by = AUTHORS.find((author) => mentionsFact(texts[author], fact));
    if (by === undefined) gone.push({ kind, text });
    else stayed.push({ kind, text, by });
  }
  const given = stayed.filter(({ by }) => by === 'ctxb');
  return { relief, all: countFacts(facts), kept: countFacts(stayed), given: countFacts(given), gone, stayed };
}

export type Receipts = ReturnType<typeof createReceipts>;

/** The facts that a receipt lists. */
export function factsOf({ requests, evidence }: Notebook): Fact[] {
  return [
    ...requests.prompts().map(({ text }) => promptFact(text)),
    ...EVIDENCE_KINDS.flatMap((kind) => evidence.items(kind)).map(({ fact }) => fact),
  ];
}

/** claude keeps the last round, which is rarely longer than a few messages. */
const MESSAGES = 64;

/** UTF-16 units; longer messages are not stored, to save memory. */
const MESSAGE_LIMIT = 100_000;

/** Text of a block as the model reads it. */
function blockText(block: Block): string {
  if (block.type === 'text' || block.type === 'tool_result') return block.text;
  if (block.type !== 'tool_use') return '';
  const input = block.input;
  // Strings of the input are added unquoted, so that commands and paths match.
  const values = typeof input === 'object' && input !== null ? Object.values(input) : [input];
  return values.map((value) => (typeof value === 'string' ? value : jsonText(value))).join('\n');
}

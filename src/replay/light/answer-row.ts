import type { Block } from '../../core/protocol/block.ts';
import { readBlocks } from '../../core/protocol/blocks.ts';
import { decodeObject } from '../../core/protocol/decode.ts';
import { type Fields, fieldsOf, parseJson } from '../../core/protocol/fields.ts';
import type { Usage } from '../../core/protocol/usage.ts';
import { blockForm } from './block-form.ts';
import { type Layout, slot } from './layout.ts';
import { CONTENT, layoutWith, type Reader, TIMESTAMP, UUID, withSlots } from './row-pattern.ts';

const [STOP, ID] = [slot('stop_reason'), slot('message id')];

/**
 * The reader for answers like this one; undefined if they must always be parsed.
 *
 * @param needsTexts for a full replay, which reads all blocks
 */
export function answerReader(row: Fields, needsTexts?: () => boolean): Reader | undefined {
  const event = decodeObject(row);
  const messageFields = fieldsOf(row.message);
  if (event.kind !== 'assistant' || event.isSynthetic || row.line !== undefined) return undefined;
  const { usage: known } = event;
  const isUsual = Array.isArray(messageFields.content) && typeof messageFields.id === 'string';
  const lifetimes = Object.keys(fieldsOf(fieldsOf(messageFields.usage).cache_creation));
  if (!isUsual || known === undefined || known.extraInferences !== undefined || event.costUsd !== undefined)
    return undefined;
  // With a third lifetime, the price would be unknown.
  if (lifetimes.length > 2) return undefined;
  const form = needsTexts && blockForm(messageFields.content);
  const messagePattern = {
    ...withSlots(messageFields),
    id: ID,
    content: form ? [form.pattern] : CONTENT,
    usage: withCounts(messageFields.usage, ''),
  };
  const layout = layoutWith(row, { message: messagePattern });
  if (layout === undefined) return undefined;
  const [id, uuid, timestamp] = [layout.idOf(UUID), layout.textOf(UUID), layout.timeOf(TIMESTAMP)];
  const [stop, message, content] = [layout.idOf(STOP), layout.textOf(ID), layout.bytesOf(CONTENT)];
  const countsIn = countsReader(known, layout);
  const readBlock = needsTexts && form?.readerIn(layout, needsTexts);
  const shared = { ...event, blocks: [] };
  return {
    layout,
    read() {
      const [messageId, counts] = [message(), countsIn()];
      if (messageId === undefined || counts === undefined) return undefined;
      const hasFinalOutput = stop() !== undefined && counts[3] > 0;
      const isEmpty = counts[0] + counts[1] + counts[2] === 0;
      const blocks = readBlock ? readBlock() : blocksIn(content(), !needsTexts && hasFinalOutput && !isEmpty);
      if (blocks === undefined) return undefined;
      const key = isEmpty ? uuid() : undefined;
      const own = [key, timestamp(), blocks, messageId, hasFinalOutput, ...counts] as const;
      return { kind: 'parts', shared, own, id: id() };
    },
  };
}

/** The blocks of an answer, parsed only if they matter: its last row contains the output tokens. */
function blocksIn(bytes: Buffer, isSized: boolean): readonly Block[] | undefined {
  if (isSized && !bytes.includes(LARGE_WINDOW_MARK)) return NO_BLOCKS;
  const content = parseJson(`${bytes}`);
  return content === undefined ? undefined : readBlocks(content);
}

const NO_BLOCKS: readonly Block[] = [];

/** Signed commits contain "M context", which reveals the size of the window. */
const LARGE_WINDOW_MARK = Buffer.from('M cont');

/** A usage with slots for its counts, named by their paths. */
function withCounts(value: unknown, path: string): unknown {
  if (typeof value === 'number') return slot(path);
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).map(([name, part]) => [name, withCounts(part, `${path}/${name}`)] as const);
  return Array.isArray(value) ? parts.map(([, part]) => part) : Object.fromEntries(parts);
}

const TOTAL = slot('/cache_creation_input_tokens');
const HOUR = slot('/cache_creation/ephemeral_1h_input_tokens');
const MINUTES = slot('/cache_creation/ephemeral_5m_input_tokens');

/** Reads the counts of a usage of a known form; undefined: parse the row. */
function countsReader(known: Usage, { countOf, has }: Layout) {
  const input = countOf(slot('/input_tokens'), known.input);
  const output = countOf(slot('/output_tokens'), known.output);
  const cacheCreation = countOf(TOTAL, known.cacheCreation);
  const cacheRead = countOf(slot('/cache_read_input_tokens'), known.cacheRead);
  const [hour, minutes] = [countOf(HOUR, known.cacheCreationHour ?? 0), countOf(MINUTES, 0)];
  const searches = countOf(slot('/server_tool_use/web_search_requests'), known.terms?.webSearches ?? 0);
  // Without a total, the parts would have to be added up.
  if (!has(TOTAL) && (has(HOUR) || has(MINUTES))) return () => undefined;
  return () => {
    const counts = [input(), cacheCreation(), cacheRead(), output(), hour()] as const;
    if (counts[1] === 0 && counts[4] + minutes() > 0) return undefined;
    if (searches() !== (known.terms?.webSearches ?? 0)) return undefined;
    return counts.some(Number.isNaN) ? undefined : counts;
  };
}

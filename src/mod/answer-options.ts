import type { AnswerOptions } from '../core/exact/exact-answer.ts';
import { filesRead } from '../core/exact/newest-files.ts';
import type { CompactEvent, Engine } from './engine.ts';

/** Maximum number of calls in a row for which a compaction waits. Each call may bring further results. */
const MAX_WAITS = 3;

/** Share of the window for the context. The answer needs the rest. */
const USABLE_SHARE = 0.85;

/**
 * The contents of the files that were read, and whether to wait until the model has seen the latest results.
 *
 * @param keep ids of tool calls whose contents stay whole
 */
export async function answerOptionsOf(
  $: Engine,
  { trigger, messages }: CompactEvent,
  waits: number,
  keep: readonly string[] = [],
): Promise<AnswerOptions> {
  const model = await $.session.model().catch(() => '');
  const paths = filesRead(messages, keep);
  const texts = await Promise.all(paths.map((path) => $.fs.read(path).catch(() => undefined)));
  const files = new Map(
    paths.flatMap((path, index) => (texts[index] === undefined ? [] : [[path, texts[index]] as const])),
  );
  if (trigger !== 'auto' || waits >= MAX_WAITS) return { model, files };
  const usage = await $.session.usage().catch(() => undefined);
  const { tokens, window = 0 } = usage?.context ?? {};
  return { model, files, roomToWait: tokens === undefined ? 0 : window * USABLE_SHARE - tokens };
}

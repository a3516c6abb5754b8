import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { Budgets } from '../../config/config.ts';
import { codePoints } from '../../core/governor/gauge/token-estimate.ts';
import { parsed } from '../../core/protocol/fields.ts';
import { groupDigits, inBackticks, LINE_LENGTH, spaced } from '../../core/text/words.ts';
import type { FlowRunFiles } from '../../store/runs/flow-run.ts';
import type { PackReceipt } from '../pack/pack.ts';
import type { PackItem, Summary } from '../pack/step-block.ts';

/** The summaries to make before a step, and the existing ones. */
export interface SummaryTask {
  readonly toSum: readonly PackItem[];
  /** Existing summaries by step id. */
  readonly kept: ReadonlyMap<string, Summary>;
  /** Maximum length of a summary in code points. */
  readonly summaryChars: number;
}

/** By step id: the accepted summary, or why it was rejected. */
export type JudgedSummaries = ReadonlyMap<string, { readonly text: string } | { readonly fault: string }>;

/**
 * Maximum number of code points of an output in the prompt: longer outputs show both ends. The curator can read the
 * file for the rest.
 */
export const READ_CHARS = 20_000;

/** Limits per curator run, to keep it cheap; later steps request the remaining summaries. */
const MAX_SUMMARIES = 6;
const MAX_READ_CHARS = 2 * READ_CHARS;

/**
 * The summaries of a run's outputs. Each is stored next to its output, in a file named after the hash of its source.
 */
export function createSummaries(files: Pick<FlowRunFiles, 'read' | 'writeJson'>) {
  return {
    /** @param items the outcome of each step with the mechanical selection */
    taskFor(
      history: readonly PackItem[],
      items: PackReceipt['items'],
      { model, budgets }: { readonly model: string; readonly budgets: Budgets },
    ): SummaryTask {
      // About a third of the space for an older output, and at most about a page.
      const limit = Math.min(4_000, Math.max(400, Math.floor(budgets.historyOlderChars * 0.3)));
      const short = new Set(items.filter((each) => isShort(each, budgets)).map(({ step }) => step));
      const older = history
        .slice(0, -1)
        .filter(({ stepId, output }) => short.has(stepId) && codePoints(output) > limit);
      const kept = new Map<string, Summary>();
      const unknown: PackItem[] = [];
      for (const item of older.toReversed()) {
        const found = find(item, { model, limit });
        if (found === undefined) unknown.push(item);
        else if (found.text !== undefined) kept.set(item.stepId, { text: found.text, by: model });
      }
      return { toSum: firstOf(unknown), kept, summaryChars: limit };
    },
    /** Stores the verdicts, rejected summaries included, so that a retry does not pay for them again. */
    keep({ toSum, summaryChars: limit }: SummaryTask, model: string, judged: JudgedSummaries): void {
      for (const item of toSum) {
        const judgement = judged.get(item.stepId);
        if (judgement !== undefined)
          files.writeJson(item.stepId, fileOf(item, { model, limit }), { version: 1, model, ...judgement });
      }
    },
  };

  /** Treats an unreadable summary as missing, because a summary is not worth a failed step. */
  function find(item: PackItem, made: MadeSummaries) {
    try {
      const { success, output } = v.safeParse(keptSchema, parsed(files.read(item.stepId, fileOf(item, made)) ?? ''));
      return success ? output : undefined;
    } catch {
      return undefined;
    }
  }
}

/**
 * Whether the budgets shorten an output enough to need a summary. A critical step that shows its full limit needs none.
 */
function isShort({ outcome, tier, shown_chars }: PackReceipt['items'][number], budgets: Budgets): boolean {
  if (outcome === 'cut') return tier !== 'CRITICAL' || shown_chars < budgets.historyRecentChars;
  return outcome === 'omitted';
}

function firstOf(items: readonly PackItem[]): PackItem[] {
  let chars = 0;
  return items.slice(0, MAX_SUMMARIES).filter(({ output }) => {
    chars += Math.min(READ_CHARS, codePoints(output));
    return chars <= MAX_READ_CHARS;
  });
}

interface MadeSummaries {
  readonly model: string;
  readonly limit: number;
}

const keptSchema = v.object({ version: v.literal(1), text: v.optional(v.string()), fault: v.optional(v.string()) });

function fileOf({ stepId, output }: PackItem, { model, limit }: MadeSummaries): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([stepId, output, model, limit]))
    .digest('hex');
  return `summary-${hash.slice(0, 16)}.json`;
}

/** Checks each requested summary against its output. */
export function checkSummaries(
  summaries: readonly { readonly step: string; readonly text: string }[],
  { toSum, summaryChars: limit }: SummaryTask,
  steps: ReadonlySet<string>,
) {
  const judged: JudgedSummaries = new Map(
    toSum.map(({ stepId, output }) => {
      const text = summaries.find(({ step }) => step === stepId)?.text;
      const fault = text === undefined ? 'it is missing' : summaryFault(text, { output, steps, limit });
      return [stepId, fault === undefined ? { text: text?.trim() ?? '' } : { fault }] as const;
    }),
  );
  const faults = [...judged].flatMap(([id, one]) =>
    'fault' in one ? [`the summary of ${id} is not taken: ${one.fault}`] : [],
  );
  return { judged, fault: faults.length === 0 ? undefined : faults.join('; ') };
}

/** `steps` contains the step ids that a summary may name; `limit` is in code points. */
interface SummaryBounds {
  readonly output: string;
  readonly steps: ReadonlySet<string>;
  readonly limit: number;
}

/**
 * Returns the fault of a summary, or undefined. Mechanical: all files, figures and quotations in the summary must occur
 * in the output.
 */
export function summaryFault(text: string, { output, steps, limit }: SummaryBounds): string | undefined {
  const length = codePoints(text);
  if (!/[\p{L}\p{N}]/u.test(text)) return 'it is empty';
  if (length > limit) return `it has ${groupDigits(length)} characters, at most ${groupDigits(limit)} are taken`;
  const invented = inventedIn(text, output, steps);
  return invented === undefined ? undefined : `${inBackticks(invented, LINE_LENGTH)} is not in the output`;
}

const QUOTED = /`([^`]+)`|"([^"]+)"/g;
const FILE = /[\w@~.-]*(?:\/[\w@.-]+)+|[\w-]+\.[a-z]\w{0,4}\b/gi;
const FIGURE = /\d+(?:[.,:]\d+)*/g;
const NO_FILE = /^(?:and\/or|e\.g|i\.e)$/i;

/** The first quotation, file or figure of a summary that does not occur in the output. Quoted step ids are allowed. */
function inventedIn(text: string, output: string, steps: ReadonlySet<string>): string | undefined {
  const outputText = plain(output);
  const figures = new Set(outputText.match(FIGURE));
  const quotes = [...text.matchAll(QUOTED)].map(([, tick, mark]) => plain(tick ?? mark ?? ''));
  // Ignore the numbers of a numbered list.
  const rest = plain(text.replace(QUOTED, ' ').replace(/^\s*\d+[.)]\s/gm, ''));
  const files = (rest.match(FILE) ?? []).filter((name) => !NO_FILE.test(name) && /\p{L}/u.test(name));
  return (
    quotes.find((name) => !steps.has(name) && !hasWhole(outputText, name)) ??
    files.map((name) => name.replace(/[.-]+$/, '')).find((name) => !hasWhole(outputText, name)) ??
    rest.match(FIGURE)?.find((figure) => !figures.has(figure))
  );
}

/** Whether `text` contains `name` as whole words: `a.ts` occurs in `src/a.ts` but not in `data.ts`. */
function hasWhole(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const end = at + name.length;
    if (!isWithin(text.slice(at - 1, at + 1)) && !isWithin(text.slice(end - 1, end + 1))) return true;
  }
  return false;
}

/** Whether both characters belong to one word. */
function isWithin(pair: string): boolean {
  return /^[\p{L}\p{N}_]{2}$/u.test(pair);
}

/** Collapses white space and removes thousands separators. */
function plain(text: string): string {
  return spaced(text.replace(/(?<=\d),(?=\d{3}\b)/g, '')).trim();
}

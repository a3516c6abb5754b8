import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { Budgets } from '../../config/flow-settings.ts';
import { codePoints } from '../../core/governor/gauge/token-estimate.ts';
import { parsed } from '../../core/protocol/fields.ts';
import type { FlowRunFiles } from '../../store/runs/flow-run.ts';
import type { PackReceipt } from '../pack/receipt.ts';
import type { PackItem, Summary } from '../pack/step-block.ts';
import { READ_CHARS } from './curator-prompt.ts';
import { summaryFault } from './summary-fault.ts';

/** What a curator is to sum up before a step, and what it has summed up before. */
export interface SummaryTask {
  readonly toSum: readonly PackItem[];
  /** By a step's id. */
  readonly kept: ReadonlyMap<string, Summary>;
  /** Code points that a summary may have. */
  readonly summaryChars: number;
}

export interface CheckedSummaries {
  /** By a step's id: the summary, or why it is not taken. */
  readonly judged: ReadonlyMap<string, { readonly text: string } | { readonly fault: string }>;
  readonly fault: string | undefined;
}

/** A summary takes about a third of what the beginning of the output could; beyond a page it is none. */
function charsOf(historyOlderChars: number): number {
  return Math.min(4_000, Math.max(400, Math.floor(historyOlderChars * 0.3)));
}

/** In one go, so that a curator stays cheap: the others are summed up before later steps. */
const MAX_SUMMARIES = 6;
const MAX_READ_CHARS = 2 * READ_CHARS;

/** The summaries of a run's outputs, each kept beside its output by the hash of what it was made from. */
export function createSummaries(files: Pick<FlowRunFiles, 'read' | 'writeJson'>) {
  return {
    /** @param items what the budgets make of the history without a curator */
    taskFor(
      history: readonly PackItem[],
      items: PackReceipt['items'],
      { model, budgets }: { readonly model: string; readonly budgets: Budgets },
    ): SummaryTask {
      const limit = charsOf(budgets.historyOlderChars);
      const short = new Set(items.filter((each) => isShort(each, budgets)).map(({ step }) => step));
      const older = history
        .slice(0, -1)
        .filter(({ stepId, output }) => short.has(stepId) && codePoints(output) > limit);
      const known = new Map(older.map((item) => [item.stepId, find(item, { model, limit })]));
      const kept = [...known].flatMap(([id, { text } = {}]) =>
        text === undefined ? [] : [[id, { text, by: model }] as const],
      );
      return {
        toSum: firstOf(older.filter(({ stepId }) => known.get(stepId) === undefined).toReversed()),
        kept: new Map(kept),
        summaryChars: limit,
      };
    },
    /** Keeps what a curator has written, also what is not taken: it would not be better for being paid again. */
    keep({ toSum, summaryChars: limit }: SummaryTask, model: string, { judged }: CheckedSummaries): void {
      for (const item of toSum) {
        const judgement = judged.get(item.stepId);
        if (judgement !== undefined)
          files.writeJson(item.stepId, fileOf(item, { model, limit }), { version: 1, model, ...judgement });
      }
    },
  };

  /** What cannot be read is not there: no summary is worth a step. */
  function find(item: PackItem, made: Made): Kept | undefined {
    try {
      const { success, output } = v.safeParse(keptSchema, parsed(files.read(item.stepId, fileOf(item, made)) ?? ''));
      return success ? output : undefined;
    } catch {
      return undefined;
    }
  }
}

/** All that the output of a critical step may take is worth more than a summary. */
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

interface Made {
  readonly model: string;
  readonly limit: number;
}

const keptSchema = v.object({ version: v.literal(1), text: v.optional(v.string()), fault: v.optional(v.string()) });

type Kept = v.InferOutput<typeof keptSchema>;

function fileOf({ stepId, output }: PackItem, { model, limit }: Made): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([stepId, output, model, limit]))
    .digest('hex');
  return `summary-${hash.slice(0, 16)}.json`;
}

/** Holds each summary that was asked for against the output that it is of. */
export function checkSummaries(
  summaries: readonly { readonly step: string; readonly text: string }[],
  { toSum, summaryChars: limit }: SummaryTask,
  steps: ReadonlySet<string>,
): CheckedSummaries {
  const judged = new Map(
    toSum.map(({ stepId, output }) => {
      const text = summaries.find(({ step }) => step === stepId)?.text;
      const fault = text === undefined ? 'there is none' : summaryFault(text, { output, steps, limit });
      return [stepId, fault === undefined ? { text: text?.trim() ?? '' } : { fault }] as const;
    }),
  );
  const faults = [...judged].flatMap(([id, one]) =>
    'fault' in one ? [`the summary of ${id} is not taken: ${one.fault}`] : [],
  );
  return { judged, fault: faults.length === 0 ? undefined : faults.join('; ') };
}

import { hash } from 'node:crypto';
import type { Budgets } from '../../config/config.ts';
import { codePoints } from '../../core/governor/gauge/token-estimate.ts';
import { parseFields } from '../../core/protocol/fields.ts';
import { orElse } from '../../errors.ts';
import type { FlowRunFiles } from '../../store/runs/flow-run.ts';
import type { PackReceipt } from '../pack/pack.ts';
import type { PackItem, Summary } from '../pack/step-block.ts';

export interface SummaryTask {
  readonly model: string;
  readonly toSummarize: readonly PackItem[];
  readonly kept: ReadonlyMap<string, Summary>;
  /** Code points. */
  readonly summaryChars: number;
}

/**
 * Maximum code points of an output in the prompt. A longer one is cut in the middle, and the curator can read its file.
 */
export const MAX_OUTPUT_CHARS = 20_000;

/** Maximum number of summaries in a curator run. Later steps request the rest. */
const MAX_SUMMARIES = 6;
const MAX_READ_CHARS = 2 * MAX_OUTPUT_CHARS;

type SummaryFiles = Pick<FlowRunFiles, 'read' | 'writeJson'>;

/**
 * Creates and stores the summaries of a run. The file of a summary is next to the output, named after the hash of its
 * source.
 */
export function createSummaries(files: SummaryFiles) {
  return {
    /** @param items the outcome of each step with the mechanical selection */
    taskFor(history: readonly PackItem[], items: PackReceipt['items'], model: string, budgets: Budgets): SummaryTask {
      // About a third of the space for an older output, and at most about a page.
      const summaryChars = Math.min(4_000, Math.max(400, Math.floor(budgets.historyOlderChars * 0.3)));
      const isShort = new Set(items.filter((each) => isShortened(each, budgets)).map(({ step }) => step));
      const older = history
        .slice(0, -1)
        .filter(({ stepId, output }) => isShort.has(stepId) && codePoints(output) > summaryChars)
        .toReversed();
      const source = { model, summaryChars };
      const kept = new Map(older.flatMap((item) => storedSummary(files, item, source)));
      return { ...source, toSummarize: firstOf(older.filter(({ stepId }) => !kept.has(stepId))), kept };
    },
    keep(task: SummaryTask, made: ReadonlyMap<string, Summary>): void {
      for (const item of task.toSummarize) {
        const text = made.get(item.stepId)?.text;
        if (text !== undefined) {
          files.writeJson(item.stepId, fileOf(item, task), { version: 1, model: task.model, text });
        }
      }
    },
  };
}

/** Reads a stored summary. An unreadable one counts as missing. */
function storedSummary(files: SummaryFiles, item: PackItem, source: SummarySource): [string, Summary][] {
  const json = orElse(() => files.read(item.stepId, fileOf(item, source)), '');
  const { version, text } = parseFields(json);
  return version === 1 && typeof text === 'string' ? [[item.stepId, { text, by: source.model }]] : [];
}

/**
 * Whether the briefing shortens an output so much that it needs a summary. A critical step that fills its limit needs
 * none.
 */
function isShortened({ outcome, tier, shown_chars }: PackReceipt['items'][number], budgets: Budgets): boolean {
  if (outcome === 'cut') return tier !== 'CRITICAL' || shown_chars < budgets.historyRecentChars;
  return outcome === 'omitted';
}

function firstOf(items: readonly PackItem[]): PackItem[] {
  let chars = 0;
  return items.slice(0, MAX_SUMMARIES).filter(({ output }) => {
    chars += Math.min(MAX_OUTPUT_CHARS, codePoints(output));
    return chars <= MAX_READ_CHARS;
  });
}

type SummarySource = Pick<SummaryTask, 'model' | 'summaryChars'>;

function fileOf({ stepId, output }: PackItem, { model, summaryChars }: SummarySource): string {
  const source = hash('sha256', JSON.stringify([stepId, output, model, summaryChars]));
  return `summary-${source.slice(0, 16)}.json`;
}

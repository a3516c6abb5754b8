import { hash } from 'node:crypto';
import type { Budgets } from '../../config/config.ts';
import { codePoints } from '../../core/governor/gauge/token-estimate.ts';
import { parseFields, textOf } from '../../core/protocol/fields.ts';
import { groupDigits } from '../../core/text/words.ts';
import { orElse } from '../../errors.ts';
import type { FlowRunFiles } from '../../store/runs/flow-run.ts';
import type { PackReceipt } from '../pack/pack.ts';
import type { PackItem, Summary } from '../pack/step-block.ts';

export interface SummaryTask {
  readonly model: string;
  readonly toSum: readonly PackItem[];
  readonly kept: ReadonlyMap<string, Summary>;
  /** Code points. */
  readonly summaryChars: number;
}

export type MadeSummaries = ReadonlyMap<string, string>;

/** Code points of an output in the prompt: a longer one shows both ends, and the curator can read its file. */
export const READ_CHARS = 20_000;

/** Limits per curator run, to keep it cheap; later steps request the remaining summaries. */
const MAX_SUMMARIES = 6;
const MAX_READ_CHARS = 2 * READ_CHARS;

/** The summaries of a run, each stored next to its output, in a file named after the hash of its source. */
export function createSummaries(files: Pick<FlowRunFiles, 'read' | 'writeJson'>) {
  return {
    /** @param items the outcome of each step with the mechanical selection */
    taskFor(history: readonly PackItem[], items: PackReceipt['items'], model: string, budgets: Budgets): SummaryTask {
      // About a third of the space for an older output, and at most about a page.
      const summaryChars = Math.min(4_000, Math.max(400, Math.floor(budgets.historyOlderChars * 0.3)));
      const short = new Set(items.filter((each) => isShort(each, budgets)).map(({ step }) => step));
      const older = history
        .slice(0, -1)
        .filter(({ stepId, output }) => short.has(stepId) && codePoints(output) > summaryChars)
        .toReversed();
      const kept = new Map<string, Summary>();
      for (const item of older) {
        const text = find(item, { model, summaryChars });
        if (text !== undefined) kept.set(item.stepId, { text, by: model });
      }
      return { model, toSum: firstOf(older.filter(({ stepId }) => !kept.has(stepId))), kept, summaryChars };
    },
    keep(task: SummaryTask, made: MadeSummaries): void {
      for (const item of task.toSum) {
        const text = made.get(item.stepId);
        if (text === undefined) continue;
        files.writeJson(item.stepId, fileOf(item, task), { version: 1, model: task.model, text });
      }
    },
  };

  /** Treats an unreadable summary as missing, because a summary is not worth a failed step. */
  function find(item: PackItem, source: SummarySource): string | undefined {
    const { version, text } = parseFields(orElse(() => files.read(item.stepId, fileOf(item, source)), undefined) ?? '');
    return version === 1 ? textOf(text) : undefined;
  }
}

/** Whether an output is shortened enough to need a summary. A critical step that shows its full limit needs none. */
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

type SummarySource = Pick<SummaryTask, 'model' | 'summaryChars'>;

function fileOf({ stepId, output }: PackItem, { model, summaryChars }: SummarySource): string {
  const source = hash('sha256', JSON.stringify([stepId, output, model, summaryChars]));
  return `summary-${source.slice(0, 16)}.json`;
}

export function checkSummaries(
  summaries: readonly { readonly step: string; readonly text: string }[],
  { toSum, summaryChars: limit }: SummaryTask,
) {
  const made = new Map<string, string>();
  const faults: string[] = [];
  for (const { stepId } of toSum) {
    const text = summaries.find(({ step }) => step === stepId)?.text.trim() ?? '';
    const length = codePoints(text);
    if (!/[\p{L}\p{N}]/u.test(text)) faults.push(`the summary of ${stepId} is missing`);
    else if (length <= limit) made.set(stepId, text);
    else faults.push(`the summary of ${stepId} has ${groupDigits(length)} characters, more than ${groupDigits(limit)}`);
  }
  return { made, faults };
}

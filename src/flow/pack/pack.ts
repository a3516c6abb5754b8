import type { Budgets } from '../../config/config.ts';
import { codePoints } from '../../core/governor/gauge/token-estimate.ts';
import { groupDigits } from '../../core/text/words.ts';
import { type Frame, frameOf, type PackExtras, type TaughtStep } from './frame.ts';
import {
  type Candidate,
  distributionOf,
  isComplete,
  limitHistory,
  type Selection,
  select,
  selectionOrder,
} from './priority.ts';
import { type ContextTruncation, type ReceiptItem, receiptArtifacts, receiptItem, truncationNote } from './receipt.ts';
import { BETWEEN_PARTS, costOf, omittedLine, type PackItem } from './step-block.ts';

export type Pack = ReturnType<typeof pack>;

/** The contents and omissions of a pack, with reasons. Sizes are in code points. */
export type PackReceipt = Pack['receipt'];

/**
 * Makes the briefing of a step: all teaching notes, the outputs of earlier steps within the budgets, paths of files, a
 * scent trail, and the whole task. Lengths are in code points. `contextBudgetChars` limits the whole text. Only the
 * mandatory parts (teaching notes, task, name of the newest step) can exceed it; the receipt then says so.
 * A larger `contextBudgetChars`, alone or with proportionally larger step limits, never removes anything. Larger step
 * limits alone can. So can a step shown whole instead of as a summary, because its extra characters are missing for the
 * last step.
 *
 * @param history oldest first
 */
export function pack(step: TaughtStep, history: readonly PackItem[], budgets: Budgets, extras: PackExtras = {}) {
  const { curated } = extras;
  const files = [...new Set([...(curated?.files ?? []), ...(extras.artifacts ?? [])])];
  const candidates = limitHistory(history, budgets, curated);
  const frame = frameOf(step, candidates, budgets.contextBudgetChars, { ...extras, artifacts: files });
  const blocks = select(selectionOrder(candidates), frame.room);
  const items = candidates.map((candidate) => receiptItem(candidate, blocks.get(candidate)?.shown));
  const truncation = { ...factsOf(candidates, blocks, items), chars_used: 0, budget_chars: budgets.contextBudgetChars };
  const { text, ...told } = textOf(frame, candidates, blocks, truncation);
  return {
    text,
    receipt: {
      version: 1 as const,
      step: step.id,
      ...told,
      whole_chars: frame.wholeChars,
      ...overBudget(frame, told.context_truncation),
      items,
      artifacts: receiptArtifacts(files, frame.artifacts.shown ?? 0, curated),
      scent_trail: frame.scent.receipt,
      curator: curated && { steps: curated.steps, files: curated.files },
    },
  };
}

function factsOf(candidates: readonly Candidate[], blocks: Selection, items: readonly ReceiptItem[]) {
  return {
    steps_included: blocks.size,
    steps_total: candidates.length,
    steps_cut: [...blocks].filter(([{ size }, { shown }]) => shown < size).length,
    chars_left_out: items.reduce(
      (sum, { outcome, chars, shown_chars }) => sum + chars - (outcome === 'summary' ? 0 : shown_chars),
      0,
    ),
    truncated: !isComplete(candidates, blocks),
    priority_aware: true,
    priority_distribution: distributionOf([...blocks.keys()].map(({ tier }) => tier)),
  };
}

/**
 * Renders the text with its note. The note includes the length of the text, so it is rendered until the figures agree;
 * they grow by at most a digit.
 */
function textOf(
  { before, after }: Frame,
  candidates: readonly Candidate[],
  blocks: Selection,
  truncation: ContextTruncation,
) {
  const shown = candidates.flatMap((candidate) => blocks.get(candidate)?.text ?? []);
  const omitted = candidates.flatMap((candidate) => (blocks.has(candidate) ? [] : candidate.item.stepId));
  const textWith = (note: string) => {
    const parts = [...before, note, omittedLine(omitted), ...shown, ...after].filter(Boolean);
    return `${parts.join(BETWEEN_PARTS)}\n`;
  };
  const chars = codePoints(textWith(''));
  let context_truncation = { ...truncation, chars_used: chars };
  for (;;) {
    const note = truncationNote(context_truncation);
    const chars_used = chars + (note === '' ? 0 : costOf(note));
    if (chars_used === context_truncation.chars_used) return { text: textWith(note), context_truncation, note };
    context_truncation = { ...truncation, chars_used };
  }
}

function overBudget({ wholeChars }: Frame, { chars_used, budget_chars }: ContextTruncation) {
  const over_budget_chars = Math.max(0, chars_used - budget_chars);
  if (over_budget_chars === 0) return { over_budget_chars, warnings: [] };
  const [what, chars] =
    wholeChars > budget_chars
      ? ['The teaching notes alone', wholeChars]
      : ['The teaching notes and the newest step by name', chars_used];
  const size = `${groupDigits(chars)} of ${groupDigits(budget_chars)} characters`;
  return { over_budget_chars, warnings: [`${what} take ${size}; they stay whole, and nothing else is shown`] };
}

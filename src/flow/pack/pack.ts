import type { Budgets } from '../../config/config.ts';
import { groupDigits } from '../../core/text/words.ts';
import { type Frame, frameOf, type PackExtras, type TaughtStep } from './frame.ts';
import { type Candidate, distributionOf, inOrder, judgeHistory, type Selection, select } from './priority.ts';
import { type ContextTruncation, receiptArtifacts, receiptItems, truncationNote } from './receipt.ts';
import { BETWEEN_PARTS, costOf, omittedLine, type PackItem } from './step-block.ts';

export type Pack = ReturnType<typeof pack>;

/** What a pack contains and omits, and why. Sizes are in code points. */
export type PackReceipt = Pack['receipt'];

/**
 * Makes the briefing of a step: complete teaching notes, the outputs of earlier steps within the budgets, paths of
 * files, a scent trail, and the complete task. Lengths are in code points, and `contextBudgetChars` limits the whole
 * text. Only the mandatory parts (teaching notes, task, name of the newest step) can exceed it, which the receipt
 * reports.
 *
 * A larger `contextBudgetChars`, alone or with proportionally larger step limits, never removes anything. Larger step
 * limits alone can, and so can a step shown whole instead of as a summary: its extra characters are missing for the
 * last step.
 *
 * @param history oldest first
 */
export function pack(step: TaughtStep, history: readonly PackItem[], budgets: Budgets, extras: PackExtras = {}) {
  const { curated } = extras;
  const named = new Set(curated?.steps);
  const files = [...new Set([...(curated?.files ?? []), ...(extras.artifacts ?? [])])];
  const candidates = judgeHistory(history, budgets, curated?.summaries);
  const frame = frameOf(step, candidates, budgets.contextBudgetChars, { ...extras, artifacts: files });
  const isCurated = (stepId: string) => named.has(stepId);
  const chosen = select(inOrder(candidates, isCurated), frame.room);
  const { text, ...told } = textOf(frame, candidates, chosen, budgets.contextBudgetChars);
  return {
    text,
    receipt: {
      version: 1 as const,
      step: step.id,
      ...told,
      whole_chars: frame.wholeChars,
      ...overBudget(frame, told.context_truncation),
      items: receiptItems(candidates, chosen, isCurated),
      artifacts: receiptArtifacts(files, frame.artifacts.shown, curated),
      scent_trail: frame.scent.receipt,
      curator: curated && { steps: curated.steps, files: curated.files },
    },
  };
}

function textOf({ before, after }: Frame, candidates: readonly Candidate[], blocks: Selection, budget: number) {
  const shown = candidates.flatMap(({ index }) => blocks.get(index) ?? []);
  const omitted = candidates.filter(({ index }) => !blocks.has(index)).map(({ item }) => item.stepId);
  const names = [omittedLine(omitted)].filter(Boolean);
  const rest = [...before, ...names, ...after].reduce((sum, part) => sum + costOf(part), 0);
  const facts = factsOf(candidates, blocks);
  const used = shown.reduce((sum, { cost }) => sum + cost, rest) - 1;
  const { context_truncation, note } = withNote({ ...facts, chars_used: used, budget_chars: budget });
  const parts = [...before, ...[note].filter(Boolean), ...names, ...shown.map((block) => block.text), ...after];
  return { text: `${parts.join(BETWEEN_PARTS)}\n`, context_truncation, note };
}

function factsOf(candidates: readonly Candidate[], blocks: Selection) {
  const included = candidates.filter(({ index }) => blocks.has(index));
  const shownOf = ({ index }: Candidate) => blocks.get(index)?.shown ?? 0;
  const ownShownOf = (candidate: Candidate) => (candidate.item.summary === undefined ? shownOf(candidate) : 0);
  const isShortened = (candidate: Candidate) => shownOf(candidate) < Math.min(candidate.size, candidate.limit);
  return {
    steps_included: included.length,
    steps_total: candidates.length,
    steps_cut: included.filter((candidate) => shownOf(candidate) < candidate.size).length,
    chars_left_out: candidates.reduce((sum, candidate) => sum + candidate.chars - ownShownOf(candidate), 0),
    truncated: included.length < candidates.length || included.some(isShortened),
    priority_aware: true,
    priority_distribution: distributionOf(included.map(({ tier }) => tier)),
  };
}

/** The note includes its own length, so its figures are recomputed until they agree; they grow by at most a digit. */
function withNote(without: ContextTruncation) {
  let context_truncation = without;
  for (;;) {
    const note = truncationNote(context_truncation);
    const chars_used = without.chars_used + (note === '' ? 0 : costOf(note));
    if (chars_used === context_truncation.chars_used) return { context_truncation, note };
    context_truncation = { ...context_truncation, chars_used };
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

import type { Budgets } from '../../config/config.ts';
import { grouped } from '../../core/memory/words.ts';
import { type Frame, frameOf, type PackExtras, type TaughtStep } from './frame.ts';
import { createClassifier, distributionOf } from './priority.ts';
import { type ContextTruncation, curatorEffect, receiptArtifacts, receiptItems, truncationNote } from './receipt.ts';
import { type Candidate, inOrder, judgeHistory, type Selection, select, withSummaries } from './select.ts';
import { BETWEEN_PARTS, costOf, omittedLine, type PackItem } from './step-block.ts';

export type Pack = ReturnType<typeof pack>;

/** The contents of a pack, its omissions, and the reasons. Sizes are code points. */
export type PackReceipt = Pack['receipt'];

/**
 * The briefing of a step: its teaching notes whole, the outputs of earlier steps as far as the budgets allow, files by
 * path, a scent trail, the task whole. Lengths are code points, and `contextBudgetChars` bounds all of the text.
 * Only what is always in (the notes, the task, the name of the newest step) can exceed it; the receipt says so.
 *
 * More `contextBudgetChars`, alone or with the limits of steps in proportion, never removes anything. Higher limits of
 * steps alone do, and so does a step that comes in whole instead of by its summary: what one step shows more is missing
 * for the last one.
 *
 * @param history oldest first
 */
export function pack(step: TaughtStep, history: readonly PackItem[], budgets: Budgets, extras: PackExtras = {}) {
  const { curated } = extras;
  const named = new Set(curated?.steps);
  const files = [...new Set([...(curated?.files ?? []), ...(extras.artifacts ?? [])])];
  const plain = judgeHistory(history, budgets, createClassifier(extras.priorities));
  const candidates = withSummaries(plain, curated?.summaries);
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
      /** Teaching notes and task, which are always whole. */
      whole_chars: frame.wholeChars,
      ...overBudget(frame, told.context_truncation),
      /** Every earlier step, oldest first. */
      items: receiptItems(candidates, chosen, isCurated),
      artifacts: receiptArtifacts(files, frame.artifacts.shown, curated),
      /** undefined: the flow has no scent trail. */
      scent_trail: frame.scent.receipt,
      /** undefined: no curator chose. */
      curator:
        curated && curatorEffect(curated, candidates, { chosen, mechanical: select(inOrder(plain), frame.room) }),
    },
  };
}

/** The text, and what note and receipt say about it. */
function textOf({ before, after }: Frame, candidates: readonly Candidate[], blocks: Selection, budget: number) {
  const shown = candidates.flatMap(({ index }) => blocks.get(index) ?? []);
  const omitted = candidates.filter(({ index }) => !blocks.has(index)).map(({ item }) => item.stepId);
  const names = [omittedLine(omitted)].filter((line) => line !== '');
  const rest = [...before, ...names, ...after].reduce((sum, part) => sum + costOf(part), 0);
  const facts = factsOf(candidates, blocks);
  const used = shown.reduce((sum, { cost }) => sum + cost, rest) - 1;
  const { context_truncation, note } = withNote({ ...facts, chars_used: used, budget_chars: budget });
  const notes = note === '' ? [] : [note];
  const parts = [...before, ...notes, ...names, ...shown.map((block) => block.text), ...after];
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

/** The note counts itself, so its figures are tried until they agree; they grow by a digit at most. */
function withNote(without: ContextTruncation): { context_truncation: ContextTruncation; note: string } {
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
  const what =
    wholeChars > budget_chars ? 'The teaching notes alone' : 'The teaching notes and the newest step by name';
  const size = `${grouped(wholeChars > budget_chars ? wholeChars : chars_used)} of ${grouped(budget_chars)} characters`;
  return { over_budget_chars, warnings: [`${what} take ${size}; they stay whole, and nothing else is shown`] };
}

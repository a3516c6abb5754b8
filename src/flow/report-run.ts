import type { EarlierRun } from './earlier-run.ts';
import { type OutcomeCounts, outcomeCounts } from './pack/receipt.ts';
import type { KnownReceipt } from './step-receipt.ts';

/** What the steps of a run were given, and what they used. */
export interface RunReport {
  readonly version: 1;
  readonly run: string;
  /** `null`: no step has left a receipt. */
  readonly flow: string | null;
  /** A step comes after those that it sees. */
  readonly steps: readonly StepFigures[];
  readonly total: Sums;
  /** Steps that have run with a curator and without one. */
  readonly curator: readonly CuratorComparison[];
}

interface Sums extends OutcomeCounts {
  readonly steps: number;
  readonly calls: number;
  /** Of the steps alone, and of their curators. */
  readonly cost_usd: number;
  readonly curator_cost_usd: number;
  readonly duration_ms: number;
}

export interface StepFigures extends OutcomeCounts {
  readonly step: string;
  readonly run: string;
  readonly attempt: number;
  /** Code points of the pack, and those it could have. */
  readonly pack_chars: number;
  readonly budget_chars: number;
  readonly truncated: boolean;
  /** Whether a curator chose. */
  readonly curated: boolean;
  /** What that cost, and what was wrong with it; `null`: no curator was asked. */
  readonly curation: KnownReceipt['curation'] | null;
  /** `null`: the step has not ended. */
  readonly measured: KnownReceipt['measured'] | null;
}

export interface CuratorComparison {
  readonly step: string;
  readonly with: StepFigures;
  readonly without: StepFigures;
  /** Steps that are in because of the choice, and out because of it. */
  readonly brought_in: readonly string[];
  readonly pushed_out: readonly string[];
}

/** @param older receipts of a step in other runs of the same flow, newest first */
export function reportRun(
  run: Pick<EarlierRun, 'id' | 'receipts'>,
  older: (step: string) => Iterable<KnownReceipt>,
): RunReport {
  const receipts = run.receipts();
  const steps = receipts.map(figuresOf);
  return {
    version: 1,
    run: run.id,
    flow: receipts[0]?.flow ?? null,
    steps,
    total: sumsOf(steps),
    curator: receipts.flatMap((receipt) => comparison(receipt, older(receipt.step))),
  };
}

function sumsOf(steps: readonly StepFigures[]): Sums {
  const sum = (figure: (step: StepFigures) => number | undefined) =>
    steps.reduce((total, step) => total + (figure(step) ?? 0), 0);
  return {
    steps: steps.length,
    included: sum(({ included }) => included),
    summary: sum(({ summary }) => summary),
    cut: sum(({ cut }) => cut),
    omitted: sum(({ omitted }) => omitted),
    calls: sum(({ measured }) => measured?.calls),
    cost_usd: sum(({ measured }) => measured?.cost_usd),
    curator_cost_usd: sum(({ curation }) => curation?.cost_usd),
    duration_ms: sum(({ measured }) => measured?.duration_ms),
  };
}

/** With the newest receipt of the other kind. Steps that have not ended are not compared. */
function comparison(receipt: KnownReceipt, older: Iterable<KnownReceipt>): CuratorComparison[] {
  if (receipt.measured === undefined) return [];
  for (const other of older) {
    if (other.measured === undefined || isCurated(other) === isCurated(receipt)) continue;
    const [curated, mechanical] = isCurated(receipt) ? [receipt, other] : [other, receipt];
    const { brought_in = [], pushed_out = [] } = curated.curator ?? {};
    const { step } = receipt;
    return [{ step, with: figuresOf(curated), without: figuresOf(mechanical), brought_in, pushed_out }];
  }
  return [];
}

function isCurated({ curator }: KnownReceipt): boolean {
  return curator !== undefined;
}

function figuresOf(receipt: KnownReceipt): StepFigures {
  const { step, run, attempt, items, context_truncation, curation, measured } = receipt;
  return {
    step,
    run,
    attempt,
    ...outcomeCounts(items),
    pack_chars: context_truncation.chars_used,
    budget_chars: context_truncation.budget_chars,
    truncated: context_truncation.truncated,
    curated: isCurated(receipt),
    curation: curation ?? null,
    measured: measured ?? null,
  };
}

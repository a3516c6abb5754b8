import type { EarlierRun } from './earlier-run.ts';
import { outcomeCounts } from './pack/receipt.ts';
import type { KnownReceipt } from './step-receipt.ts';

/** What the steps of a run were given, and what they used. */
export interface RunReport {
  readonly version: 1;
  readonly run: string;
  /** `null`: no step has left a receipt. */
  readonly flow: string | null;
  /** A step comes after those that it sees. */
  readonly steps: readonly StepFigures[];
  readonly total: ReturnType<typeof sumsOf>;
  /** Steps that have run with a curator and without one. */
  readonly curator: readonly CuratorComparison[];
}

export type StepFigures = Readonly<ReturnType<typeof figuresOf>>;

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

function sumsOf(steps: readonly StepFigures[]) {
  const sum = (figure: (step: StepFigures) => number | undefined) =>
    steps.reduce((total, step) => total + (figure(step) ?? 0), 0);
  return {
    steps: steps.length,
    included: sum(({ included }) => included),
    summary: sum(({ summary }) => summary),
    cut: sum(({ cut }) => cut),
    omitted: sum(({ omitted }) => omitted),
    calls: sum(({ measured }) => measured?.calls),
    // Of the steps alone, and of their curators.
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

function figuresOf(receipt: KnownReceipt) {
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
    /** `null`: no curator was asked. */
    curation: curation ?? null,
    /** `null`: the step has not ended. */
    measured: measured ?? null,
  };
}

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

/** How many steps are whole, in summary, cut and omitted in a pack. */
interface Outcomes {
  readonly included: number;
  readonly summary: number;
  readonly cut: number;
  readonly omitted: number;
}

interface Sums extends Outcomes {
  readonly steps: number;
  readonly calls: number;
  /** Of the steps alone, and of their curators. */
  readonly cost_usd: number;
  readonly curator_cost_usd: number;
  readonly duration_ms: number;
}

export interface StepFigures extends Outcomes {
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

export interface ReportedRun {
  readonly id: string;
  readonly receipts: () => readonly KnownReceipt[];
}

/** @param older receipts of a step in other runs of the same flow, newest first */
export function reportRun(run: ReportedRun, older: (step: string) => Iterable<KnownReceipt>): RunReport {
  const receipts = run.receipts();
  const steps = receipts.map(figuresOf);
  return {
    version: 1,
    run: run.id,
    flow: receipts[0]?.flow ?? null,
    steps,
    total: {
      steps: steps.length,
      included: sum(steps, ({ included }) => included),
      summary: sum(steps, ({ summary }) => summary),
      cut: sum(steps, ({ cut }) => cut),
      omitted: sum(steps, ({ omitted }) => omitted),
      calls: sum(steps, ({ measured }) => measured?.calls ?? 0),
      cost_usd: sum(steps, ({ measured }) => measured?.cost_usd ?? 0),
      curator_cost_usd: sum(steps, ({ curation }) => curation?.cost_usd ?? 0),
      duration_ms: sum(steps, ({ measured }) => measured?.duration_ms ?? 0),
    },
    curator: receipts.flatMap((receipt) => comparison(receipt, older(receipt.step))),
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
  const counts = { included: 0, summary: 0, cut: 0, omitted: 0 };
  for (const { outcome } of items) counts[outcome]++;
  return {
    step,
    run,
    attempt,
    ...counts,
    pack_chars: context_truncation.chars_used,
    budget_chars: context_truncation.budget_chars,
    truncated: context_truncation.truncated,
    curated: isCurated(receipt),
    curation: curation ?? null,
    measured: measured ?? null,
  };
}

function sum<T>(all: readonly T[], figure: (one: T) => number): number {
  return all.reduce((total, one) => total + figure(one), 0);
}

import type { Receipt } from '../../governor/decisions.ts';
import { FACT_KINDS, type Fact, holds, searchable, tallyOf } from '../notebook/fact.ts';

/**
 * Writes down what each relief kept, in the terms of the first request after it: the facts that were known before are
 * looked for in all that the fresh context holds.
 */
export interface Receipts {
  /** The context is replaced. What was said of one that no request was made with no longer holds. */
  begin(relief: Receipt['relief'], facts: readonly Fact[]): void;
  /** The same, unless that is known already. */
  beginOnce(relief: Receipt['relief'], facts: readonly Fact[]): void;
  /** Something that the fresh context holds. @param by who put it there */
  holds(text: string, by: 'claude' | 'ctxb'): void;
  /** The first request was sent. undefined: no relief was under way, or nothing was known before it. */
  settle(): Receipt | undefined;
}

interface Open {
  readonly relief: Receipt['relief'];
  readonly facts: readonly Fact[];
  readonly claude: string[];
  readonly ctxb: string[];
}

/** The same fact is counted once. */
function distinct(facts: readonly Fact[]): Fact[] {
  return [...new Map(facts.map((fact) => [`${fact.kind}\n${fact.name}`, fact])).values()];
}

export function createReceipts(): Receipts {
  let open: Open | undefined;

  function begin(relief: Receipt['relief'], facts: readonly Fact[]): void {
    open = { relief, facts: distinct(facts), claude: [], ctxb: [] };
  }

  return {
    begin,
    beginOnce(relief, facts) {
      if (open?.relief !== relief) begin(relief, facts);
    },
    holds(text, by) {
      open?.[by].push(text);
    },
    settle() {
      const found = open;
      open = undefined;
      return found === undefined || found.facts.length === 0 ? undefined : receiptOf(found);
    },
  };
}

function receiptOf({ relief, facts, claude, ctxb }: Open): Receipt {
  const [own, handedBack] = [searchable(claude.join('\n')), searchable(ctxb.join('\n'))];
  const still = new Set(facts.filter((fact) => holds(own, fact)));
  const given = facts.filter((fact) => !still.has(fact) && holds(handedBack, fact));
  const kept = new Set([...still, ...given]);
  const gone = facts.filter((fact) => !kept.has(fact));
  return {
    relief,
    all: tallyOf(facts),
    kept: tallyOf([...kept]),
    given: tallyOf(given),
    gone: FACT_KINDS.flatMap((kind) =>
      gone.filter((fact) => fact.kind === kind).map(({ name }) => ({ kind, text: name })),
    ),
  };
}

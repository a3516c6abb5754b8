import { DOCUMENT_TOKENS } from '../../core/governor/relief/ladder.ts';
import { USUALLY_MISSED } from '../../core/governor/relief/missed.ts';
import { counted, grouped } from '../../core/memory/words.ts';
import type { RecordedSteps } from './steps.ts';
import type { Assumed, Basis, Facts } from './what-if.ts';

/** @param exact some policy compacts exactly */
export function factsOf({ steps, after }: RecordedSteps, basis: Basis, exact: boolean): Facts {
  const count = (change: string) => steps.filter((step) => step.change === change).length;
  return {
    calls: steps.length,
    estimated: count('replaced'),
    reliefs: steps.reduce((sum, { reliefs }) => sum + reliefs.length, after.length),
    fresh: count('fresh'),
    drops: steps.filter(({ change, growth }) => change === 'grown' && growth < 0).length,
    basis,
    exact,
  };
}

/** What is exact and what is assumed in the figures of one or more sessions, a sentence each. */
export function assumptionsOf(all: readonly Facts[]): readonly string[] {
  if (all.length === 0) return [];
  const sum = (of: (facts: Facts) => number) => all.reduce((total, facts) => total + of(facts), 0);
  const [calls, estimated, reliefs] = [sum((f) => f.calls), sum((f) => f.estimated), sum((f) => f.reliefs)];
  const [fresh, drops] = [sum((f) => f.fresh), sum((f) => f.drops)];
  return [
    `Exact: what happened, and by how much the context grew before ${grouped(calls - estimated)} of ${counted(calls, 'call')}.`,
    ...(reliefs > 0
      ? [
          `Undone under every policy: ${counted(reliefs, 'relief')} that happened; the growth of the call after each is estimated from its lines.`,
        ]
      : []),
    ...(fresh > 0 ? [`Kept: ${counted(fresh, 'context')} that the caller began.`] : []),
    ...(drops > 0 ? [`Kept: ${counted(drops, 'drop')} of the context without a compaction.`] : []),
    `Assumed: the first call after a compaction has ${assumedText(all.map(({ basis }) => basis.landing))}; after a handoff, the smallest context of the session and ${grouped(DOCUMENT_TOKENS)} more.`,
    ...(all.some(({ exact }) => exact) ? [exactText(all)] : []),
    ...GENERAL,
  ];
}

function exactText(all: readonly Facts[]): string {
  const kept = assumedText(all.map(({ basis }) => basis.kept));
  return `Assumed: an exact compaction leaves ${kept} beside the smallest context of the session, and takes away what ${counted(USUALLY_MISSED.calls, 'call')} must fetch again (${counted(USUALLY_MISSED.tokens, 'token')}); as many calls follow as there were.`;
}

const GENERAL = [
  'Left out: compactions that fail, a relief ahead of a turn that would cross a level, large tasks and limits of cost.',
  'Assumed: the model does and writes the same under every policy, and asks for nothing again that was cut or summed up.',
  'Assumed: the cache was as warm as it was recorded; after a relief it has the system prompt and the tools.',
  'Estimated: the calls that write a summary or a document, also of what happened. Costs are list prices of the main thread.',
];

function assumedText(all: readonly Assumed[]): string {
  const own = all.filter(({ from }) => from === 'session');
  const others = all.find(({ from }) => from !== 'session');
  const [only] = own;
  const ownText =
    own.length === 1 && others === undefined && only !== undefined
      ? `${counted(only.tokens, 'token')} (the median of its own ${only.of})`
      : `the median of the session's own where it has any (${counted(own.length, 'session')})`;
  if (others === undefined) return ownText;
  const where = others.from === 'replayed' ? 'in these recordings' : 'in published ones';
  const seen = others.of === 0 ? '' : ` (the median of ${others.of} ${where})`;
  const otherText = `${counted(others.tokens, 'token')}${seen}`;
  return own.length === 0 ? otherText : `${ownText}, else ${otherText}`;
}

import { USUALLY_MISSED } from '../../core/governor/relief/economic-moment.ts';
import { DOCUMENT_TOKENS } from '../../core/governor/relief/ladder.ts';
import { USUALLY_KEPT } from '../../core/governor/relief/outlook.ts';
import { counted, grouped } from '../../core/memory/words.ts';
import type { SessionSummary } from '../summary.ts';
import type { RecordedSteps } from './simulate.ts';
import type { Assumed, Basis, Facts } from './what-if.ts';

/**
 * Medians over the 14 compactions in the published sessions of Claude Code 2.0.76 to 2.1.29 that this was measured on:
 * the first calls after them had 33,441 to 62,755 tokens. Recordings against a scripted API are left out, whose usage
 * figures are made up.
 */
const PUBLISHED = { landing: 50_821, summary: 2_581, prefix: 33_334, compactions: 14 } as const;

/** With fewer, compactions of other sessions in the same replay say less than the published ones. */
const ENOUGH = 5;

interface Landed {
  readonly landing: number;
  readonly summary: number;
  readonly prefix: number;
}

function landedIn({ compactions, series = [] }: SessionSummary, isExact: boolean): Landed[] {
  return compactions.flatMap(({ call, how, firstAfter }) => {
    const [last, first] = [series[call - 1], series[call]];
    if (first === undefined || firstAfter === null || (how === 'exact') !== isExact) return [];
    const prompt = first.turn === last?.turn ? 0 : (first.added.prompt ?? 0);
    return [{ landing: first.context - prompt, summary: first.added.summary ?? 0, prefix: first.cacheRead }];
  });
}

/** What the summaries of some sessions show. */
export function landingsOf(sessions: readonly SessionSummary[]): readonly Landed[] {
  return sessions.flatMap((session) => landedIn(session, false));
}

/** What exact compactions left beside the smallest context of their session, in tokens. */
export function keptOf(sessions: readonly SessionSummary[]): readonly number[] {
  return sessions.flatMap((session) =>
    landedIn(session, true).map(({ landing }) => Math.max(0, landing - freshOf(session))),
  );
}

/** @param replayed what all sessions of a replay show, this one included */
export function basisOf(
  session: SessionSummary,
  replayed: { readonly landings: readonly Landed[]; readonly kept: readonly number[] },
): Basis {
  const own = landedIn(session, false);
  const of = (key: keyof Landed) => {
    const figures = (all: readonly Landed[]) => all.map((one) => one[key]);
    return assumed(figures(own), figures(replayed.landings), { tokens: PUBLISHED[key], of: PUBLISHED.compactions });
  };
  return {
    landing: of('landing'),
    summary: of('summary'),
    prefix: of('prefix'),
    kept: assumed(keptOf([session]), replayed.kept, { tokens: USUALLY_KEPT, of: 0 }),
    fresh: freshOf(session),
  };
}

function freshOf({ series = [] }: SessionSummary): number {
  return series.reduce((least, { context }) => Math.min(least, context), Number.POSITIVE_INFINITY);
}

function assumed(own: readonly number[], replayed: readonly number[], usual: Omit<Assumed, 'from'>): Assumed {
  if (own.length > 0) return { tokens: medianOf(own), from: 'session', of: own.length };
  if (replayed.length >= ENOUGH) return { tokens: medianOf(replayed), from: 'replayed', of: replayed.length };
  return { ...usual, from: 'published' };
}

function medianOf(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const [lower = 0, upper = 0] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return Math.round((lower + upper) / 2);
}

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
  const sum = (key: 'calls' | 'estimated' | 'reliefs' | 'fresh' | 'drops') =>
    all.reduce((total, facts) => total + facts[key], 0);
  const [calls, reliefs, fresh, drops] = [sum('calls'), sum('reliefs'), sum('fresh'), sum('drops')];
  const landing = assumedText(all.map(({ basis }) => basis.landing));
  return [
    `Exact: what happened, and by how much the context grew before ${grouped(calls - sum('estimated'))} of ${counted(calls, 'call')}.`,
    reliefs > 0 &&
      `Undone under every policy: ${counted(reliefs, 'relief')} that happened; the growth of the call after each is estimated from its lines.`,
    fresh > 0 && `Kept: ${counted(fresh, 'context')} that the caller began.`,
    drops > 0 && `Kept: ${counted(drops, 'drop')} of the context without a compaction.`,
    `Assumed: the first call after a compaction has ${landing}; after a handoff, the smallest context of the session and ${grouped(DOCUMENT_TOKENS)} more.`,
    all.some(({ exact }) => exact) && exactText(all),
    ...GENERAL,
  ].filter((sentence) => sentence !== false);
}

function exactText(all: readonly Facts[]): string {
  const kept = assumedText(all.map(({ basis }) => basis.kept));
  return `Assumed: an exact compaction leaves ${kept} beside the smallest context of the session, and takes away what ${counted(USUALLY_MISSED.calls, 'call')} must fetch again (${counted(USUALLY_MISSED.tokens, 'token')}); as many calls follow as there were.`;
}

const GENERAL = [
  'Left out: compactions that fail, a relief ahead of a turn that would cross a level, large tasks and cost limits.',
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

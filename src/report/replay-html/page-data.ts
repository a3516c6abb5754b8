import { handoffLevel, inTokens, type Policy } from '../../core/governor/policy.ts';
import { oneLine, shortened } from '../../core/memory/words.ts';
import { decisionText } from '../../messages.ts';
import type { CallSeen, ResultSeen } from '../../replay/items-seen.ts';
import { type SortOrder, sortSessions } from '../../replay/sort.ts';
import type { SessionSummary } from '../../replay/summary.ts';
import { type Deltas, type Runs, type Sparse, toDeltas, toRuns, toSparse } from './columns.ts';

/** The data of the page. Figures of calls stand in columns, so that 200,000 calls stay small. */
export interface PageData {
  readonly version: 1;
  readonly sessions: readonly PageSession[];
}

/** Of one recording: what the summary has, texts on one line and cleaned, and its calls. */
export interface PageSession
  extends Pick<
    SessionSummary,
    | 'claudeCodeVersion'
    | 'time'
    | 'window'
    | 'turns'
    | 'calls'
    | 'context'
    | 'traffic'
    | 'compactions'
    | 'cost'
    | 'growth'
    | 'lineage'
    | 'subagents'
    | 'waits'
    | 'lines'
    | 'copied'
  > {
  readonly file: string;
  readonly sessionId: string | null;
  readonly model: string | null;
  readonly project: string | null;
  /** The first that was said. */
  readonly prompt: string | null;
  /** Where zones of the context begin, and where it is compacted, in tokens, ascending. */
  readonly levels: readonly Level[];
  readonly actions: readonly PageAction[];
  readonly results: readonly ResultSeen[];
  readonly prompts: readonly { readonly turn: number; readonly tokens: number; readonly text: string }[];
  readonly columns: Columns;
  /** The context as other policies would have had it. */
  readonly curves: readonly { readonly policy: string; readonly context: Deltas }[];
}

export interface Level {
  readonly name: 'monitor' | 'warning' | 'critical' | 'compact' | 'handoff';
  readonly tokens: number;
}

export interface PageAction {
  readonly kind: string;
  readonly text: string;
  readonly turn: number;
  /** Calls before it. */
  readonly call: number;
}

/** The calls of a session; the meaning of each figure is that in `CallSeen`. */
export interface Columns {
  readonly turn: Deltas;
  readonly line: Deltas;
  /** Whole seconds since the epoch. */
  readonly seconds: Deltas;
  readonly model: Runs<string | null>;
  readonly context: Deltas;
  readonly input: readonly number[];
  /** What of the context was not read from the cache; the rest of it was. */
  readonly unread: readonly number[];
  readonly output: readonly number[];
  readonly outputKnown: Runs<boolean>;
  /** Context less what was predicted. */
  readonly surprise: readonly (number | null)[];
  readonly microUsd: readonly (number | null)[];
  /** By what they came from, the largest sum first. */
  readonly added: readonly { readonly kind: string; readonly tokens: Sparse }[];
}

/** The context that another policy would have had: a figure for each call of the session, null where it made none. */
export interface WhatIfCurve {
  readonly policy: string;
  readonly context: readonly (number | null)[];
}

export interface PageOptions {
  /** Its thresholds are drawn. */
  readonly policy: Policy;
  /** In which order sessions are listed; default: as they come. */
  readonly sort?: SortOrder;
  readonly curvesOf?: (session: SessionSummary) => readonly WhatIfCurve[];
}

/** How many of the largest results of a session the page has: they are most of the file. */
const RESULTS = { least: 10, most: 100, ofAll: 10_000 };

/** Code points of a text in the page: more than a table has room for. */
const TEXT_LENGTH = 300;
const PROMPT_LENGTH = 160;

/** Takes sessions one by one, so that no summary has to be kept for it. */
export interface PageDataBuilder {
  /** @param session with its series */
  add(session: SessionSummary): void;
  data(): PageData;
}

export function createPageData(options: PageOptions): PageDataBuilder {
  const sessions: PageSession[] = [];
  return {
    add: (session) => void sessions.push(sessionData(session, options)),
    data() {
      const count = Math.max(RESULTS.least, Math.min(RESULTS.most, Math.floor(RESULTS.ofAll / sessions.length)));
      const { sort } = options;
      const sorted = sort === undefined ? sessions : sortSessions(sessions, sort);
      return { version: 1, sessions: sorted.map((each) => ({ ...each, results: each.results.slice(0, count) })) };
    },
  };
}

function sessionData(session: SessionSummary, { policy, curvesOf }: PageOptions): PageSession {
  const { claudeCodeVersion, time, window, turns, calls, context, traffic, compactions, cost, lines, copied } = session;
  return {
    file: clean(session.file),
    sessionId: cleanOrNull(session.sessionId),
    claudeCodeVersion: cleanOrNull(claudeCodeVersion),
    model: cleanOrNull(session.model),
    project: cleanOrNull(session.project),
    prompt: session.prompt === null ? null : shortened(clean(session.prompt), PROMPT_LENGTH),
    ...{ time, window, turns, calls, context, traffic, compactions, cost, lines },
    ...(copied && {
      copied: { ...copied, from: copied.from.map((each) => ({ ...each, session: clean(each.session) })) },
    }),
    ...(session.waits && { waits: session.waits }),
    growth: Object.fromEntries(Object.entries(session.growth).map(([kind, tokens]) => [clean(kind), tokens])),
    lineage: session.lineage.map(({ from, to, reason, context: at }) => ({
      from: clean(from),
      to: clean(to),
      reason: clean(reason),
      context: at,
    })),
    subagents: session.subagents.map(({ id, kind, peak, calls: count, tokens, usd, estimated }) => ({
      ...{ id: clean(id), kind: kind === null ? null : clean(kind), peak, calls: count, tokens, usd, estimated },
    })),
    levels: levelsOf(window.tokens, policy),
    actions: session.actions.map((action) => ({
      kind: action.kind,
      text: clean(decisionText(action)),
      turn: action.at.turn + 1,
      call: action.at.call,
    })),
    results: largestOf(session),
    prompts: (session.prompts ?? []).map(({ turn, tokens, text }) => ({
      turn,
      tokens,
      text: shortened(clean(text), PROMPT_LENGTH),
    })),
    columns: columnsOf(session.series ?? []),
    curves: (curvesOf?.(session) ?? []).map((curve) => ({
      policy: clean(curve.policy),
      context: toDeltas(curve.context),
    })),
  };
}

/** Recordings hold what anybody has written: nothing in it may turn the direction of what stands beside it. */
function clean(text: string): string {
  return oneLine(text, TEXT_LENGTH);
}

function cleanOrNull(text: string | null): string | null {
  return text === null ? null : clean(text);
}

function levelsOf(window: number | null, policy: Policy): Level[] {
  const { thresholds, zones } = policy;
  const levels = {
    monitor: zones.monitor,
    warning: zones.warning,
    critical: thresholds.warn,
    compact: thresholds.compact,
    handoff: handoffLevel(policy, window ?? undefined),
  };
  return Object.entries(levels)
    .map(([name, threshold]) => ({ name: name as Level['name'], tokens: inTokens(threshold, window ?? undefined) }))
    .filter(({ tokens }) => Number.isFinite(tokens))
    .sort((a, b) => a.tokens - b.tokens);
}

function largestOf({ results, largest }: SessionSummary): ResultSeen[] {
  return [...(results ?? largest)]
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, RESULTS.most)
    .map((result) => ({ ...result, tool: clean(result.tool), target: clean(result.target) }));
}

function columnsOf(calls: readonly CallSeen[]): Columns {
  return {
    turn: toDeltas(calls.map(({ turn }) => turn)),
    line: toDeltas(calls.map(({ line }) => line)),
    seconds: toDeltas(calls.map(({ t }) => (t === null ? null : Math.round(t / 1000)))),
    model: toRuns(calls.map(({ model }) => cleanOrNull(model))),
    context: toDeltas(calls.map(({ context }) => context)),
    input: calls.map(({ input }) => input),
    unread: calls.map(({ context, cacheRead }) => context - cacheRead),
    output: calls.map(({ output }) => Math.round(output)),
    outputKnown: toRuns(calls.map(({ outputKnown }) => outputKnown)),
    surprise: calls.map(({ context, predicted }) => (predicted === null ? null : Math.round(context - predicted))),
    microUsd: calls.map(({ usd }) => (usd === null ? null : Math.round(usd * 1e6))),
    added: addedOf(calls),
  };
}

function addedOf(calls: readonly CallSeen[]): Columns['added'] {
  const sums = new Map<string, number>();
  for (const { added } of calls) {
    for (const [kind, tokens] of Object.entries(added)) sums.set(kind, (sums.get(kind) ?? 0) + tokens);
  }
  return [...sums]
    .sort(([, a], [, b]) => b - a)
    .map(([kind]) => ({
      kind: clean(kind),
      tokens: toSparse(calls.map(({ added }) => Math.round(Object.hasOwn(added, kind) ? (added[kind] ?? 0) : 0))),
    }));
}

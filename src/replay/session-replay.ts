import { costUsd, isComputed } from '../core/governor/cost/cost.ts';
import { type Action, type Decision, isDecision } from '../core/governor/decisions.ts';
import { largestShare, peakShare, predicted } from '../core/governor/gauge/gauge.ts';
import { initialState } from '../core/governor/initial-state.ts';
import type { Input } from '../core/governor/input.ts';
import { lineageStep } from '../core/governor/process/process.ts';
import { savedUsd } from '../core/governor/relief/accounts.ts';
import { isEcho } from '../core/governor/relief/exact.ts';
import type { GovernorState, Run } from '../core/governor/state.ts';
import { createMemory, type Memory } from '../core/memory/memory.ts';
import { cutterWith, type Mask } from '../core/memory/words.ts';
import { createHost, type Judged } from '../host/governor-host.ts';
import { trafficOf } from './copies.ts';
import { createExplainer } from './explain.ts';
import { createInputReader } from './inputs.ts';
import { createCalls, createCurve } from './observers/calls.ts';
import { createCompactions } from './observers/compactions.ts';
import { createGrowth } from './observers/growth.ts';
import { createLedger } from './observers/ledger.ts';
import { createOddities } from './observers/oddities.ts';
import { createPrompts, createSubagents } from './observers/prompts.ts';
import { createRetention } from './observers/retention.ts';
import type { Seen } from './observers/seen.ts';
import { createPauses, createWaits } from './observers/waits.ts';
import type { ReadLine } from './read/line-feed.ts';
import type { SessionSummary } from './summary.ts';

export interface Asked {
  /** Each main-thread call, each prompt and each result. */
  readonly series: boolean;
  /** What each relief kept of what was known before it. */
  readonly retention?: boolean;
  /** A call that is to be explained: its number, from 1, or its message's id. */
  readonly explain?: string | undefined;
  /** Takes secrets out of texts, as in the run. */
  readonly mask: Mask;
}

export interface SessionReplayOptions extends Asked {
  /** How a plain recording is judged; a record of `ctxb run` brings its own. */
  readonly run: Run;
}

/** Judges one recording line by line. Grows in place: a recording has millions of lines. */
export function createSessionReplay(options: SessionReplayOptions) {
  const { run, mask, series, explain } = options;
  const lines: { total: number; unknown: number; malformed: number; lost?: number } = {
    total: 0,
    unknown: 0,
    malformed: 0,
  };
  const time: { first: number | null; last: number | null } = { first: null, last: null };
  const decisions: Decision[] = [];
  const lineage: SessionSummary['lineage'][number][] = [];
  let at = 0;
  let project: string | null = null;
  let peakCall = 0;
  const world = { carryOut: judged };
  let host = createHost(initialState(run), world);
  let memory: Memory | undefined;
  let retention = options.retention ? createRetention({ run, mask, recorded: false }) : undefined;
  const reader = createInputReader();
  const cut = cutterWith(mask);
  const compactions = createCompactions();
  const calls = series || explain !== undefined ? createCalls(run.policy.cost.prices) : undefined;
  // Calls before growth: what a call writes is in the context of the next one.
  const watch = {
    curve: createCurve(),
    ledger: createLedger(),
    subagents: createSubagents(cut),
    oddities: createOddities(),
    pauses: createPauses(run.policy.cost.prices),
    waits: createWaits(),
    explainer: explain === undefined ? undefined : createExplainer(explain),
    calls,
    growth: createGrowth({ cut, keepAll: series, ...(calls && { onAdded: calls.added }) }),
    prompts: createPrompts(cut, series),
  };
  const observers = Object.values(watch).filter((observer) => observer !== undefined);

  /** A record of a run: it is judged as it was then, notes included. */
  function begin(recorded: Run): void {
    host = createHost(initialState(recorded), world);
    memory = recorded.policy.memory.enabled ? createMemory({ run: recorded, mask }) : undefined;
    if (options.retention) retention = createRetention({ run: recorded, mask, recorded: memory !== undefined });
  }

  function judged({ input, before, after, actions }: Judged): void {
    const remembered = memory?.add(input, after);
    const seen: Seen = { line: at, input, before, after };
    compactions.see(seen);
    // What claude repeats behind a compaction has been seen.
    if (input.from === 'claude' && isEcho(before, input.event)) return;
    for (const observer of observers) observer.see(seen);
    retention?.see(seen);
    note(seen);
    for (const action of actions) noteAction(action);
    for (const decision of remembered?.decisions ?? []) decide(decision);
  }

  function decide(decision: Decision): void {
    decisions.push(decision);
    if (decision.kind === 'receipt') retention?.receipt(decision, { call: host.state.gauge.calls, line: at });
  }

  function note({ input, before, after }: Seen): void {
    if (after.gauge.peak > before.gauge.peak) peakCall = after.gauge.calls;
    if ('cwd' in input.event && input.event.cwd !== undefined) project ??= input.event.cwd;
    if (input.t > 0) {
      // A log that Claude Code writes anew begins with its newest lines.
      time.first = Math.min(time.first ?? input.t, input.t);
      time.last = Math.max(time.last ?? 0, input.t);
    }
    // Also in a recording that nobody acted in.
    const next = lineageStep(before, after);
    if (next !== undefined) lineage.push({ ...next, context: predicted(before.gauge) });
  }

  function noteAction(action: Action): void {
    if (isDecision(action)) decide(action);
    else if (action.kind === 'answer-hook') {
      const answered = memory?.answer(action, host.state);
      if (answered !== undefined) retention?.handedBack(answered.output);
      for (const decision of answered?.decisions ?? []) decide(decision);
    }
  }

  function count(input: Input): void {
    const { kind } = input.event;
    if (kind === 'malformed' && !('blank' in input.event && input.event.blank)) lines.malformed++;
    if (kind === 'unknown') lines.unknown++;
  }

  function countMalformed(isLost = false): void {
    lines.malformed++;
    if (isLost) lines.lost = (lines.lost ?? 0) + 1;
  }

  return {
    line(read: ReadLine): void {
      if (!read.isMore) at++;
      const line = reader.read(read);
      if (line.kind === 'blank') return;
      if (!read.isMore) lines.total++;
      if (line.kind === 'malformed') countMalformed(line.lost);
      if (line.kind === 'run') begin(line.run);
      if (line.kind !== 'input') return;
      count(line.input);
      host.feed(line.input);
    },
    summary(file: string): SessionSummary {
      const { state } = host;
      const { first: prompt, all } = watch.prompts.found();
      const { gauge, session, turn } = state;
      const found = watch.growth.found();
      const ledger = watch.ledger.found();
      const [peakFraction, largest] = [peakShare(gauge), largestShare(gauge)];
      const [pauses, waits] = [watch.pauses.found(), watch.waits.found()];
      return {
        file,
        sessionId: session.id ?? null,
        dialect: reader.dialect ?? 'stream',
        claudeCodeVersion: session.version ?? null,
        model: session.model ?? null,
        project,
        prompt,
        time,
        window: { tokens: gauge.window.tokens ?? null, source: gauge.window.source },
        turns: turn.ended + (turn.phase === 'idle' ? 0 : 1),
        calls: gauge.calls,
        context: {
          last: gauge.used,
          peak: gauge.peak,
          peakFraction,
          ...(largest !== peakFraction && { largestFraction: largest }),
          peakCall,
          basis: gauge.basis,
          curve: watch.curve.found(),
        },
        ledger,
        traffic: trafficOf(ledger),
        compactions: compactions.found(),
        actions: decisions,
        cost: costOf(state),
        ...(pauses.count > 0 && { pauses }),
        ...(waits.limits + waits.outages > 0 && { waits }),
        growth: found.growth,
        largest: found.largest,
        lineage,
        subagents: watch.subagents.found(state.subagents),
        oddities: watch.oddities.found(),
        ...(watch.explainer && { explanation: watch.explainer.found(calls?.found() ?? []) }),
        ...(retention && { retention: retention.found() }),
        lines,
        ...(calls && series && { series: calls.found(), prompts: all, results: found.results }),
      };
    },
  };
}

function costOf(state: GovernorState): SessionSummary['cost'] {
  const { known, unpriced } = state.cost;
  const computed = isComputed(state.cost);
  const saved = savedUsd(state);
  const sum = { usd: known ? costUsd(state) : null, computed };
  return { ...sum, ...(unpriced && computed && { unpriced }), ...(saved !== 0 && { saved }) };
}

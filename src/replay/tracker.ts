import { type Action, type Decision, isDecision } from '../governor/actions.ts';
import { isComputed } from '../governor/cost/cost.ts';
import { callOutput, predicted } from '../governor/gauge/gauge.ts';
import type { Input } from '../governor/input.ts';
import { lineageStep } from '../governor/process/lineage.ts';
import { costUsd, type GovernorState, initialState, type Run } from '../governor/state.ts';
import { step } from '../governor/step.ts';
import { createMemory, type Memory } from '../memory/memory.ts';
import { createInputReader } from './inputs.ts';
import type { ReadLine } from './read/read-line.ts';
import { type CallSeen, type CompactionSeen, peakFraction, type SessionSummary } from './summary.ts';

/** Judges one recording line by line. Grows in place: a recording has millions of lines. */
export interface Tracker {
  line(read: ReadLine): void;
  summary(file: string): SessionSummary;
}

export interface TrackerOptions {
  /** How a plain recording is judged; a record of `ctxb run` brings its own. */
  readonly run: Run;
  readonly withSeries: boolean;
  /** Takes secrets out of texts, as in the run. */
  readonly mask: (text: string) => string;
}

export function createTracker({ run, withSeries, mask }: TrackerOptions): Tracker {
  let state = initialState(run);
  let memory: Memory | undefined;
  const reader = createInputReader();
  const lines = { total: 0, unknown: 0, malformed: 0 };
  const compactions: CompactionSeen[] = [];
  const decisions: Decision[] = [];
  const series: CallSeen[] = [];
  const lineage: SessionSummary['lineage'][number][] = [];

  /** A record of a run: it is judged as it was then, notes included. */
  function begin(recorded: Run): void {
    state = initialState(recorded);
    memory = recorded.policy.memory.enabled ? createMemory({ run: recorded, mask }) : undefined;
  }

  function take(input: Input): void {
    const before = state;
    const { state: after, actions } = step(before, input);
    state = after;
    const remembered = memory?.add(input, after);
    noteCompaction(before, input);
    noteCall(before, after);
    noteLineage(before, after);
    for (const action of actions) noteAction(action);
    decisions.push(...(remembered?.decisions ?? []));
  }

  /** Also in a recording that nobody acted in. */
  function noteLineage(before: GovernorState, after: GovernorState): void {
    const next = lineageStep(before, after);
    if (next !== undefined) lineage.push({ ...next, context: predicted(before.gauge) });
  }

  function noteAction(action: Action): void {
    if (isDecision(action)) decisions.push(action);
    else if (action.kind === 'answer-hook') decisions.push(...(memory?.answer(action, state).decisions ?? []));
  }

  function noteCompaction(before: GovernorState, { event }: Input): void {
    if (event.kind !== 'boundary') return;
    const gaugeBefore = predicted(before.gauge);
    compactions.push({ trigger: event.trigger, preTokens: event.preTokens ?? null, gaugeBefore, firstAfter: null });
  }

  function noteCall({ gauge: before }: GovernorState, { gauge }: GovernorState): void {
    if (gauge.calls > before.calls) {
      const last = compactions.at(-1);
      if (last?.firstAfter === null) compactions[compactions.length - 1] = { ...last, firstAfter: gauge.used };
      const context = gauge.used;
      if (withSeries)
        series.push({ messageId: gauge.call?.messageId ?? '', context, output: 0, predicted: gauge.foreseen ?? null });
    }
    const current = series.at(-1);
    if (withSeries && current && gauge.call !== before.call && gauge.call?.messageId === current.messageId) {
      series[series.length - 1] = { ...current, output: callOutput(gauge) };
    }
  }

  function count(input: Input): void {
    const { kind } = input.event;
    if (kind === 'malformed' && !('blank' in input.event && input.event.blank)) lines.malformed++;
    if (kind === 'unknown') lines.unknown++;
  }

  return {
    line(read) {
      const line = reader.read(read);
      if (line.kind === 'blank') return;
      lines.total++;
      if (line.kind === 'malformed') lines.malformed++;
      if (line.kind === 'run') begin(line.run);
      if (line.kind !== 'input') return;
      count(line.input);
      take(line.input);
    },
    summary: (file) => ({
      file,
      sessionId: state.session.id ?? null,
      dialect: reader.dialect ?? 'stream',
      claudeCodeVersion: state.session.version ?? null,
      model: state.session.model ?? null,
      window: state.gauge.window,
      turns: state.turn.ended + (state.turn.phase === 'idle' ? 0 : 1),
      calls: state.gauge.calls,
      context: {
        last: state.gauge.used,
        peak: state.gauge.peak,
        peakFraction: peakFraction(state.gauge),
        basis: state.gauge.basis,
      },
      compactions,
      actions: decisions,
      cost: { usd: state.cost.known ? costUsd(state) : null, computed: isComputed(state.cost) },
      lineage,
      subagents: Object.entries(state.subagents).map(([id, { peak, calls }]) => ({ id, peak, calls })),
      lines,
      ...(withSeries ? { series } : {}),
    }),
  };
}

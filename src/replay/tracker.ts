import { type Action, type Decision, isDecision } from '../governor/actions.ts';
import { callOutput, predicted } from '../governor/gauge.ts';
import type { Input } from '../governor/input.ts';
import { readRecord, readRecordedRun } from '../governor/record.ts';
import { costUsd, type GovernorState, initialState, type Run } from '../governor/state.ts';
import { step } from '../governor/step.ts';
import { decodeObject } from '../stream/decode.ts';
import { type Fields, isFields } from '../stream/fields.ts';
import { type CallSeen, type CompactionSeen, type Dialect, peakFraction, type SessionSummary } from './summary.ts';

/** Rows of a session log that are remembered to know a repeated one: the kept messages of a compaction are fewer. */
const REMEMBERED_ROWS = 4096;

/** Judges one recording line by line. Grows in place: a recording has millions of lines. */
export interface Tracker {
  line(text: string): void;
  summary(file: string): SessionSummary;
}

export function createTracker(run: Run, withSeries: boolean): Tracker {
  let state = initialState(run);
  let time = 0;
  let dialect: Dialect | undefined;
  const rows = new Set<string>();
  const lines = { total: 0, unknown: 0, malformed: 0 };
  const compactions: CompactionSeen[] = [];
  const decisions: Decision[] = [];
  const series: CallSeen[] = [];

  function take(input: Input): void {
    time = input.t;
    const before = state;
    const { state: after, actions } = step(before, input);
    state = after;
    noteCompaction(before, input);
    noteCall(before, after);
    for (const action of actions) noteAction(action);
  }

  /** Around a compaction a session log holds the kept rows a second time, under the same uuid. */
  function isRepeated({ uuid, sessionId }: Fields): boolean {
    if (typeof uuid !== 'string' || sessionId === undefined) return false;
    if (rows.has(uuid)) return true;
    rows.add(uuid);
    const [oldest] = rows;
    if (rows.size > REMEMBERED_ROWS && oldest !== undefined) rows.delete(oldest);
    return false;
  }

  function noteAction(action: Action): void {
    if (isDecision(action)) decisions.push(action);
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
    line(text) {
      if (text.trim() === '') return;
      lines.total++;
      const value = parse(text);
      if (value === undefined) {
        lines.malformed++;
        return;
      }
      const recorded = readRecordedRun(value);
      if (recorded) {
        state = initialState(recorded);
        return;
      }
      if (isRepeated(value)) return;
      const input = readRecord(value, time) ?? plain(value, time);
      dialect ??= dialectOf(value);
      count(input);
      take(input);
    },
    summary: (file) => ({
      file,
      sessionId: state.session.id ?? null,
      dialect: dialect ?? 'stream',
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
      cost: { usd: state.cost.known ? costUsd(state) : null },
      subagents: Object.entries(state.subagents).map(([id, { peak, calls }]) => ({ id, peak, calls })),
      lines,
      ...(withSeries ? { series } : {}),
    }),
  };
}

function plain(value: Fields, lastTime: number): Input {
  const event = decodeObject(value);
  const t = 'timestamp' in event && event.timestamp !== undefined ? event.timestamp : lastTime;
  return { t, from: 'claude', event };
}

/** Session logs spell their keys in camelCase; lines of either that carry no id say nothing. */
function dialectOf(value: Fields): Dialect | undefined {
  if (typeof value.line === 'string' || 'session_id' in value) return 'stream';
  return 'sessionId' in value || 'isSidechain' in value || 'leafUuid' in value ? 'session' : undefined;
}

function parse(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

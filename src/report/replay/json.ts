import type { CallSeen, CompactionSeen } from '../../replay/items-seen.ts';
import { PARTIAL_OPENING, partialClosing, partialSession } from '../../replay/partials.ts';
import { replayReport } from '../../replay/replay-report.ts';
import type { SessionSummary } from '../../replay/summary.ts';
import { printableJson } from '../shown.ts';
import { isoTime } from './csv.ts';
import { collected, type OpenReport } from './format.ts';

export const json = collected(({ sessions }, { list }) => `${printableJson(replayReport(sessions, list.by), 2)}\n`);

/** A line for each call of the main thread, flat, with the same keys in each. */
export const ndjson: OpenReport = () => ({
  session: (session) => callLines(session.series ?? [], session),
  end: () => '',
});

export function callLines(calls: readonly CallSeen[], session: SessionSummary): string {
  return calls.map((call) => `${printableJson(callRow(call, session))}\n`).join('');
}

/**
 * A call. Tokens where nothing else is said; `added_*` came in since the call before it, `compacted_by` says who had the
 * context compacted in between.
 */
function callRow(call: CallSeen, { file, sessionId, project, compactions }: SessionSummary) {
  return {
    file,
    session: sessionId,
    project,
    model: call.model,
    time: isoTime(call.t),
    turn: call.turn,
    call: call.number,
    line: call.line,
    message: call.messageId,
    window: call.window,
    context: call.context,
    input: call.input,
    cache_creation: call.cacheCreation,
    cache_read: call.cacheRead,
    output: call.output,
    output_known: call.outputKnown,
    predicted: call.predicted,
    cost_usd: call.usd,
    copied: call.copied === true,
    ...addedTokens(call),
    compacted_by: compactedBy(call, compactions),
  };
}

function addedTokens({ added }: CallSeen) {
  const { prompt = 0, answer = 0, summary = 0, notice = 0, ...byTool } = added;
  return {
    added_prompt: prompt,
    added_answer: answer,
    added_summary: summary,
    added_notice: notice,
    added_tools: Object.values(byTool).reduce((sum, tokens) => sum + tokens, 0),
  };
}

function compactedBy({ number }: CallSeen, compactions: readonly CompactionSeen[]): CompactionSeen['by'] | null {
  return compactions.findLast(({ call }) => call === number - 1)?.by ?? null;
}

/** A part of the work, for another `ctxb replay`. */
export const partial: OpenReport = () => {
  let sessions = 0;
  return {
    session: (session) => (sessions++ === 0 ? PARTIAL_OPENING : '') + partialSession(session),
    end: ({ faults }) => (sessions === 0 ? PARTIAL_OPENING : '') + partialClosing(sessions, faults),
  };
};

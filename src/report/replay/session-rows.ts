import type { Decision, DecisionOf } from '../../core/governor/decisions.ts';
import { lastMeasuredVersion } from '../../core/governor/gauge/window.ts';
import { sumOf } from '../../core/text/sum-of.ts';
import { replayedText } from '../../messages.ts';
import type { Oddity, OddityKind } from '../../replay/observers/oddities.ts';
import type { RecordedCompaction, RecordedSubagent } from '../../replay/recorded-items.ts';
import type { CopiedCalls, SessionFigures, SessionSummary } from '../../replay/summary.ts';
import { ownFigures } from '../../replay/totals.ts';
import { COMPACTED_BY, costSource, costText, counted, dollars, percent, tokens, unseenText } from '../figures.ts';
import { presentLines } from '../layout.ts';
import { onOneLine } from '../printable.ts';
import { row } from './format.ts';

export function sessionRows(session: SessionSummary): string[] {
  const { compactions, actions, context, window } = session;
  const idle = window.tokens === null ? 'not judged: the window is unknown' : 'nothing to do';
  return [
    ...originRows(session),
    ...subagentRows(session),
    ...compactions.map(compactionRow),
    ...session.oddities.map((oddity) => row('oddity', oddityText(oddity))),
    ...decisionsWithRow(session).map((action) => actionRow(action, session)),
    ...presentLines(actions.length === 0 && context.basis !== 'none' && row('ctxb', idle)),
    ...closingRows(session),
  ];
}

export function originRows(session: SessionSummary): string[] {
  const { window, claudeCodeVersion: version, copied } = session;
  const own = ownFigures(session);
  const known = [version && `Claude Code ${version}`, session.model, session.sessionId].filter(Boolean);
  const size =
    window.tokens === null
      ? 'unknown: set it with --window'
      : `${tokens(window.tokens)} tokens (${windowSource(session)})`;
  return presentLines(
    row('file', onOneLine(session.file)),
    known.length > 0 && row('session', onOneLine(known.join(' · '))),
    row('window', size),
    row('context', contextText(session)),
    row('traffic', `${counted(session.turns, 'turn')}, ${counted(session.calls, 'call')}${subagentText(session)}`),
    own.usd !== null && row('cost', costText(own) + (session.cost.computed ? ` (${costSource(session)})` : '')),
    copied && row('copied', copiedText(copied)),
    lostInPauses(session),
  );
}

/** `version, as of 2.1.332` if this claude is newer than the version that the window was measured with. */
function windowSource({ window: { source }, claudeCodeVersion }: SessionSummary): string {
  const asOf = lastMeasuredVersion(source, claudeCodeVersion);
  return asOf === undefined ? source : `${source}, as of ${asOf}`;
}

/** `turn 5, call 73: warning: …`; between two turns it names the next turn and the last call. */
export function actionRow(action: Decision, session: Pick<SessionSummary, 'dialect'>): string {
  return row('ctxb', `turn ${action.at.turn + 1}, call ${action.at.call}: ${onOneLine(replayedText(action, session))}`);
}

/** Decisions with a row of their own. Compactions have other rows, and one row sums up all pauses. */
export function decisionsWithRow({ actions }: Pick<SessionSummary, 'actions'>): readonly Decision[] {
  return actions.filter((action) => (action.kind === 'landed' ? action.relief !== 'compaction' : !isPause(action)));
}

function isPause(action: Decision): action is DecisionOf<'cache-lost'> {
  return action.kind === 'cache-lost' && action.cause === 'pause';
}

function contextText({ context, calls }: SessionSummary): string {
  if (context.basis === 'none') return 'not measured';
  const peak = calls === 0 ? '' : `largest call ${tokens(context.peak)} (${percent(context.peakFraction)}), `;
  return `${peak}last ${tokens(context.last)} (${context.basis})`;
}

function subagentText({ subagents }: SessionSummary): string {
  if (subagents.length === 0) return '';
  const peak = Math.max(...subagents.map((subagent) => subagent.peak));
  return `; ${counted(subagents.length, 'subagent')}, largest ${tokens(peak)} tokens`;
}

/** Subagents by cost, the highest first: `general-purpose: 12 calls, 345,000 tokens, peak 34,000, $0.45`. */
function subagentRows({ subagents }: SessionSummary): string[] {
  return subagents.toSorted((a, b) => (b.usd ?? 0) - (a.usd ?? 0)).map((agent) => row('subagent', agentText(agent)));
}

function agentText({ kind, id, estimated, calls, tokens: used, usd, peak }: RecordedSubagent): string {
  const cost = usd === null ? 'no price' : dollars(usd);
  const mark = estimated ? 'about ' : '';
  return `${onOneLine(kind ?? id)}: ${mark}${counted(calls, 'call')}, ${tokens(used)} tokens, ${cost}, peak ${tokens(peak)}`;
}

export function compactionRow({ by, how, preTokens, gaugeBefore, firstAfter }: RecordedCompaction): string {
  // No prediction exists if the recording starts with the compaction.
  const prediction = gaugeBefore === 0 ? '' : ` (predicted ${tokens(gaugeBefore)})`;
  const from = preTokens === null ? `${tokens(gaugeBefore)} predicted` : `${tokens(preTokens)}${prediction}`;
  const to = firstAfter === null ? '' : `, to ${tokens(firstAfter)}`;
  return row('compacted', `${how === 'exact' ? 'exactly ' : ''}by ${COMPACTED_BY[by]} at ${from}${to}`);
}

function copiedText({ calls, usd, from }: CopiedCalls): string {
  const sessions = from.map(({ session }) => onOneLine(session)).join(', ');
  if (calls === 0) return `${dollars(usd)}, which counts in ${sessions}`;
  return `${counted(calls, 'call')} copied from ${sessions}, which count there (${dollars(usd)})`;
}

function lostInPauses({ actions }: SessionSummary): string | undefined {
  const lost = actions.filter(isPause);
  const sizes = sumOf(lost, (each) => each.tokens);
  const [usd, cachedUsd] = [sumOf(lost, (each) => each.usd), sumOf(lost, (each) => each.cachedUsd)];
  const costs = `${tokens(sizes)} tokens written again for ${dollars(usd)} instead of ${dollars(cachedUsd)}`;
  return lost.length === 0 ? undefined : row('cache', `lost in ${counted(lost.length, 'pause')}: ${costs}`);
}

export function closingRows(session: SessionSummary): string[] {
  const { total, unknown, malformed } = session.lines;
  const notes = presentLines(
    tokens(total),
    unknown > 0 && `${tokens(unknown)} of unknown type`,
    malformed > 0 && `${tokens(malformed)} malformed`,
  );
  return [row('lines', notes.join(', ')), ...missingDataRows([session])];
}

export function missingDataRows(sessions: readonly SessionFigures[]): string[] {
  const models = new Set(sessions.flatMap(({ cost }) => cost.unpriced ?? []));
  const unpriced = [...models].map((model) => onOneLine(model) || 'a model without a name').join(', ');
  const sum = (of: keyof SessionFigures['lines']) => sumOf(sessions, ({ lines }) => lines[of] ?? 0);
  const [malformed, lost, unsized] = [sum('malformed'), sum('lost'), sum('unsized')];
  const where = counted(sessions.filter(({ lines }) => lines.malformed > 0).length, 'session');
  const unlogged = sumOf(sessions, ({ cost }) => cost.unlogged?.length ?? 0);
  const unseen = sumOf(sessions, ({ cost }) => cost.unseen ?? 0);
  const calls = lost === 0 ? '' : `: the calls on ${lost === malformed ? 'them' : tokens(lost)} are not counted`;
  return presentLines(
    models.size > 0 &&
      `  The cost is a lower bound, because ${unpriced} has no known price: cost.prices sets that of a model.`,
    unseen > 0 && `  The cost is an upper bound: ${unseenText(unseen)}.`,
    unlogged > 0 && `  The cost is without ${counted(unlogged, 'subagent')} whose log is missing.`,
    malformed > 0 && `  ${counted(malformed, 'malformed line')} in ${where}${calls}.`,
    unsized > 0 && `  Not counted: ${counted(unsized, 'call')} without usage.`,
  );
}

const NAMES: Readonly<Record<OddityKind, string>> = {
  drop: 'the context shrank',
  'boundary-without-drop': 'a compaction did not shrink the context',
  'larger-window': 'the window is larger than assumed',
};

function oddityText({ kind, count, examples }: Oddity): string {
  const [first] = examples;
  const times = count === 1 ? '' : `, ${tokens(count)} times`;
  if (first === undefined) return `${NAMES[kind]}${times}`;
  const place = `${count === 1 ? '' : 'first '}at call ${first.call}, line ${first.line}`;
  return `${NAMES[kind]}${times}, ${place}: ${tokens(first.expected)} → ${tokens(first.found)}`;
}

import { decisionText } from '../messages.ts';
import type { CompactionSeen, ReplayReport, SessionSummary } from '../replay/summary.ts';
import { counted, dollars, percent, tokens } from './figures.ts';
import { oddityText } from './oddity-text.ts';
import { onOneLine, type Style } from './style.ts';

/** The summary for a person: a few lines a session. */
export function summaryText({ sessions }: ReplayReport, style: Style): string {
  if (sessions.length === 0) return 'no recordings found\n';
  return `${sessions.map((session) => sessionText(session, style)).join('\n\n')}\n`;
}

function sessionText(session: SessionSummary, style: Style): string {
  const { window, context } = session;
  const origin = [
    session.claudeCodeVersion && `Claude Code ${session.claudeCodeVersion}`,
    session.model,
    session.sessionId,
  ];
  const known = origin.filter((part) => part !== null && part !== '');
  return [
    style.bold(onOneLine(session.file)),
    ...(known.length > 0 ? [row('session', onOneLine(known.join(' · ')))] : []),
    row('window', `${tokens(window.tokens)} tokens (${window.source})`),
    row('context', contextText(session)),
    row('traffic', `${counted(session.turns, 'turn')}, ${counted(session.calls, 'call')}${subagentText(session)}`),
    ...(session.cost.usd === null ? [] : [row('cost', costText(session.cost.usd, session.cost.computed))]),
    ...session.lineage.map((step) => row('lineage', lineageText(step))),
    ...session.compactions.map((compaction) => row('compacted', compactionText(compaction))),
    ...session.oddities.map((oddity) => row('oddity', oddityText(oddity))),
    ...session.actions.map((action) => row('policy', `${placeText(action.at)}: ${onOneLine(decisionText(action))}`)),
    ...(session.actions.length === 0 && context.basis !== 'none' ? [row('policy', 'nothing to do')] : []),
    row('lines', linesText(session)),
  ].join('\n');
}

function row(label: string, text: string): string {
  return `  ${label.padEnd(10)}${text}`;
}

function contextText({ context, calls }: SessionSummary): string {
  if (context.basis === 'none') return 'nothing was measured';
  const peak = calls === 0 ? '' : `peak ${tokens(context.peak)} (${percent(context.peakFraction)}), `;
  return `${peak}last ${tokens(context.last)} (${context.basis})`;
}

function subagentText({ subagents }: SessionSummary): string {
  if (subagents.length === 0) return '';
  const peak = Math.max(...subagents.map((subagent) => subagent.peak));
  return `; ${counted(subagents.length, 'subagent')}, largest ${tokens(peak)} tokens`;
}

function compactionText({ trigger, preTokens, gaugeBefore, firstAfter }: CompactionSeen): string {
  const by = trigger === 'auto' ? 'by claude itself' : 'by /compact';
  const from =
    preTokens === null ? `${tokens(gaugeBefore)} predicted` : `${tokens(preTokens)} (predicted ${tokens(gaugeBefore)})`;
  return `${by} at ${from}${firstAfter === null ? '' : `, to ${tokens(firstAfter)}`}`;
}

function lineageText({ from, to, reason, context }: SessionSummary['lineage'][number]): string {
  return onOneLine(`${from} → ${to}: ${reason} at ${tokens(context)}`);
}

function costText(usd: number, computed: boolean): string {
  return `${dollars(usd)}${computed ? ' (in part computed from list prices)' : ''}`;
}

function placeText({ turn, call }: { readonly turn: number; readonly call: number }): string {
  return `turn ${turn + 1}, call ${call}`;
}

function linesText({ lines }: SessionSummary): string {
  const odd = [
    ...(lines.unknown > 0 ? [`${tokens(lines.unknown)} of unknown type`] : []),
    ...(lines.malformed > 0 ? [`${tokens(lines.malformed)} malformed`] : []),
  ];
  return [tokens(lines.total), ...odd].join(', ');
}

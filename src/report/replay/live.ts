import type { CallSeen } from '../../replay/items-seen.ts';
import type { SessionSummary } from '../../replay/summary.ts';
import { shareOf, tokens } from '../figures.ts';
import { fitted } from '../layout.ts';
import { growthText } from './detail.ts';
import { callLines } from './exports.ts';
import { type Page, row } from './format.ts';
import { actionText, compactionRow, dropRows } from './session-rows.ts';
import { zoneColour } from './sparkline.ts';

/** What is new in a session since it was last asked, as lines. @param final nothing will be added */
export type LiveView = (session: SessionSummary, final: boolean) => string;

/** Of a call's line up to what came in. */
const WIDTH = 37;

/** Calls that were there before are not all shown again. */
const BACKLOG = 10;

/** For a person: each call as it comes, with what it brought, and in their places compactions and what was decided. */
export function createLiveText(page: Page): LiveView {
  let shown: { calls: number; compactions: number; actions: number } | undefined;
  return (session, final) => {
    const { series = [], actions } = session;
    // Where it led to, and whether by a summary, is known with the next call.
    const isOpen = !final && session.compactions.at(-1)?.firstAfter === null;
    const compactions = isOpen ? session.compactions.slice(0, -1) : session.compactions;
    const first = series.at(-BACKLOG)?.number ?? 1;
    shown ??= {
      calls: first - 1,
      compactions: compactions.filter(({ call }) => call < first).length,
      actions: actions.filter(({ at }) => at.call < first).length,
    };
    const { calls } = shown;
    const lines = [
      ...series.slice(calls).map((call) => ({ call: call.number, text: callText(call, series, page) })),
      ...dropRows(session).filter(({ call }) => call > calls && call <= series.length),
      ...actions
        .slice(shown.actions)
        .map((action) => ({ call: action.at.call, text: row('policy', actionText(action)) })),
      ...compactions
        .slice(shown.compactions)
        .map((compaction) => ({ call: compaction.call, text: compactionRow(compaction) })),
    ];
    shown = { calls: series.length, compactions: compactions.length, actions: actions.length };
    // A sort keeps the order of equals: of one call first itself, then what followed from it.
    return lines
      .sort((a, b) => a.call - b.call)
      .map(({ text }) => `${text}\n`)
      .join('');
  };
}

function callText(call: CallSeen, series: readonly CallSeen[], { style, levels, glyphs, columns }: Page): string {
  const part = shareOf(call.context, call.window).padStart(4);
  const before = series[call.number - 2]?.context;
  const grown =
    before === undefined ? '' : `${call.context < before ? '-' : '+'}${tokens(Math.abs(call.context - before))}`;
  const coloured = style[zoneColour(call.context, call.window, levels)](part);
  const figures = `${tokens(call.context).padStart(9)} ${coloured} ${grown.padStart(9)}`;
  const came = growthText(call.added);
  const begin = `  call ${tokens(call.number).padStart(5)} ${figures}`;
  const rest = came === '' ? '' : `  ${glyphs.dot} ${came}`;
  return (begin + fitted(rest, columns - WIDTH, glyphs.ellipsis)).trimEnd();
}

/** For a program: each call, as soon as nothing of it will change. */
export function createLiveLines(): LiveView {
  let shown = 0;
  return (session, final) => {
    const { series = [] } = session;
    const settled = final ? series.length : Math.max(shown, series.length - 1);
    const lines = callLines(series.slice(shown, settled), session);
    shown = settled;
    return lines.map((line) => `${line}\n`).join('');
  };
}

import { h } from '../../../browser/dom.ts';
import { ownFigures } from '../../../replay/copies.ts';
import {
  COMPACTED_BY,
  costSource,
  costText,
  counted,
  dollars,
  percent,
  roughTokens,
  shareOf,
  tokens,
} from '../../figures.ts';
import type { PageSession } from '../page-data.ts';
import { createChart } from './chart.ts';
import { contextSection } from './context-chart.ts';
import { section } from './controls.ts';
import { growthSection } from './growth-chart.ts';
import { additionsOf, type Call, type Session, unpack, WITH_CTXB } from './session.ts';
import { callTables, eventTables, timeText } from './session-tables.ts';
import { createSpan, type Span } from './span.ts';

export function createSessionView(info: PageSession): HTMLElement[] {
  const session = unpack(info);
  const span = createSpan(session.calls.length);
  const go = (call: number) => {
    const chart = document.querySelector<HTMLElement>('.chart') ?? undefined;
    chart?.focus({ preventScroll: true });
    chart?.scrollIntoView({ block: 'center' });
    span.move(call, chart);
  };
  const tables = callTables(session, go);
  const charts =
    session.calls.length === 0
      ? [h('p', { class: 'card' }, 'No call of the main thread was measured in it.')]
      : [
          contextSection(session, span, tables.context),
          growthSection(session, span, tables.growth),
          costSection(session, span, tables.cost),
        ];
  // The readout appends itself to the chart under the pointer.
  createReadout(session, span);
  return [h('p', { class: 'about' }, factsOf(info)), tiles(info), ...charts, ...eventTables(session, go)];
}

function factsOf({ claudeCodeVersion, model, sessionId, project, time }: PageSession): string {
  const { first, last } = time;
  const when = first === null ? null : `${timeText(first / 1000)} – ${timeText((last ?? first) / 1000)} UTC`;
  const version = claudeCodeVersion === null ? null : `Claude Code ${claudeCodeVersion}`;
  return [version, model, project, sessionId, when].filter(Boolean).join(' · ');
}

function tiles(info: PageSession): HTMLElement {
  const { context, window, traffic, compactions, copied, subagents } = info;
  const own = ownFigures(info);
  const { input, cacheCreation, cacheRead } = traffic.main;
  const all = [
    [
      'Peak context',
      context.peak === 0 ? '–' : tokens(context.peak),
      window.tokens === null
        ? 'the window is not known:\n--window sets it'
        : `${percent(context.peakFraction)} of ${tokens(window.tokens)} (${window.source})`,
    ],
    context.basis === 'none'
      ? ['Last context', '–', 'nothing was measured']
      : ['Last context', tokens(context.last), context.basis],
    [
      'Calls',
      tokens(info.calls),
      `${counted(info.turns, 'turn')}${subagents.length === 0 ? '' : `, ${counted(subagents.length, 'subagent')}`}`,
    ],
    ['Compactions', tokens(compactions.length), plannedText(info)],
    ['Cache reads', roughTokens(cacheRead), `of ${roughTokens(input + cacheCreation + cacheRead)} of all input`],
    own.usd !== null && ['Cost', costText(own), costSource(info)],
    copied && ['Copied calls', tokens(copied.calls), `from ${copied.from.map(({ session }) => session).join(', ')}`],
  ];
  const tile = ([name, figure, note]: string[]) =>
    h('div', { class: 'card' }, h('dt', {}, name), h('dd', {}, h('strong', {}, figure), h('small', {}, note)));
  return h('dl', { class: 'tiles' }, ...all.map((each) => each && tile(each)));
}

function plannedText({ compactions }: PageSession): string {
  const own = compactions.filter(({ by }) => by === 'claude').length;
  return compactions.length === 0 ? 'none happened' : `${tokens(own)} by claude itself`;
}

/** Chart of the cumulative cost of the main thread. */
function costSection(session: Session, span: Span, table: () => HTMLElement): HTMLElement {
  const { calls } = session;
  const unknown = calls.filter(({ usd }) => usd === null).length;
  if (unknown === calls.length) {
    const why = 'No list price of the model is known: prices can be set in the configuration (cost.prices).';
    return section('Cost', [h('p', {}, why)]);
  }
  const total = calls.at(-1)?.spent ?? 0;
  const chart = createChart(session, {
    name: 'Cost so far over calls',
    span,
    lines: [{ name: 'Cost so far', figures: calls.map(({ spent }) => spent), color: 'kind-3', filled: true, width: 2 }],
    height: 190,
    top: () => Math.max(total * 1.08, 0.0001),
    figure: (each) => (Number.isInteger(each) ? `$${tokens(each)}` : dollars(each)),
    tell: ({ number, usd, spent }) => {
      const cost = usd === null ? 'no price is known for it' : dollars(usd);
      return `Call ${number}: ${cost}, ${dollars(spent)} so far`;
    },
  });
  const unpricedNote = unknown === 0 ? '' : ` ${counted(unknown, 'call')} without a known price left out.`;
  const about = `The main thread at list prices: ${dollars(total)}.${unpricedNote}`;
  return section('Cost', [h('p', { class: 'quiet' }, about), chart.element], table);
}

/** A box with the figures of the call under the pointer; on a narrow page it is fixed to the bottom. */
function createReadout(session: Session, span: Span): HTMLElement {
  // Screen readers read `aria-valuetext` of the chart instead.
  const box = h('div', { class: 'readout', 'aria-hidden': 'true', hidden: true });
  span.watch(() => {
    const { at, frame } = span;
    const call = session.calls[(at ?? 0) - 1];
    box.hidden = call === undefined || frame === undefined;
    if (call === undefined || frame === undefined) return;
    box.replaceChildren(...contentOf(session, call));
    if (box.parentElement !== frame) frame.append(box);
    place(box, frame, span);
  });
  return box;
}

/** Distance between the pointed position and the box in pixels. */
const GAP = 14;

function place(box: HTMLElement, frame: HTMLElement, { at = 0, from, to }: Span): void {
  // On a narrow page, CSS positions the box.
  if (getComputedStyle(box).position === 'fixed') {
    box.style.left = '';
    return;
  }
  const over = frame.querySelector<HTMLElement>('.u-over');
  if (over === null) return;
  const left = over.offsetLeft + ((at - from) / (to - from)) * over.clientWidth;
  const fitsRight = left + GAP + box.offsetWidth < frame.clientWidth;
  box.style.left = `${fitsRight ? left + GAP : Math.max(0, left - GAP - box.offsetWidth)}px`;
}

function contentOf(session: Session, call: Call): HTMLElement[] {
  const rows = [...figuresOf(session, call), ...addedOf(session, call)];
  return [
    h('strong', {}, `Call ${tokens(call.number)}`),
    h('dl', {}, ...rows.flatMap(([name, text]) => [h('dt', {}, name), h('dd', {}, text)])),
    ...notesOf(session, call).map((note) => h('p', {}, note)),
  ];
}

function figuresOf({ info }: Session, call: Call): string[][] {
  const { context, predicted, withCtxb, usd } = call;
  const rows = [
    ['Turn', `${call.turn}`],
    ['Context', `${tokens(context)} (${shareOf(context, info.window.tokens)})`],
    predicted !== null && ['Predicted', `${tokens(predicted)} (${signedText(context - predicted)})`],
    withCtxb !== null && [WITH_CTXB, tokens(withCtxb)],
    ['Output', call.outputText],
    usd !== null && ['Cost', `${dollars(usd)}, so far ${dollars(call.spent)}`],
  ];
  return rows.filter((row) => row !== false);
}

/** Measured minus predicted. */
function signedText(difference: number): string {
  return difference < 0 ? `−${tokens(-difference)}` : `+${tokens(difference)}`;
}

/** Maximum number of kinds listed. */
const KINDS = 5;

function addedOf(session: Session, call: Call): string[][] {
  return additionsOf(session, call.number)
    .slice(0, KINDS)
    .map(({ kind, figure }) => [`+ ${kind}`, `~${tokens(figure)}`]);
}

function notesOf({ info }: Session, { number, turn }: Call): string[] {
  const prompt = info.prompts.find((each) => each.turn === turn);
  return [
    ...info.compactions
      .filter(({ call }) => call === number - 1)
      .map(({ by }) => `Before it: compacted by ${COMPACTED_BY[by]}.`),
    ...info.compactions
      .filter(({ call }) => call === number)
      .map(({ by }) => `After it: compacted by ${COMPACTED_BY[by]}.`),
    ...info.actions.filter(({ call }) => call === number).map(({ text }) => `After it: ${text}`),
    ...(prompt === undefined ? [] : [`Turn: ${prompt.text}`]),
  ];
}

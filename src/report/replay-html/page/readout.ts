import { h } from '../../../browser/dom.ts';
import { dollars, shareOf, tokens } from '../../figures.ts';
import { additionsOf, type Session, WHO, WITH_CTXB } from './session.ts';
import type { Span } from './span.ts';

/** A box with the figures of the call under the pointer; on a narrow page it is fixed to the bottom. */
export function createReadout(session: Session, span: Span): HTMLElement {
  // Screen readers read `aria-valuetext` of the chart instead.
  const box = h('div', { class: 'readout', 'aria-hidden': 'true', hidden: true });
  span.watch(() => {
    const { at, frame } = span;
    box.hidden = at === undefined || frame === undefined;
    if (at === undefined || frame === undefined) return;
    box.replaceChildren(...contentOf(session, at));
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

function contentOf(session: Session, call: number): HTMLElement[] {
  const rows = [...figuresOf(session, call), ...addedOf(session, call)];
  return [
    h('strong', {}, `Call ${tokens(call)}`),
    h('dl', {}, ...rows.flatMap(([name, text]) => [h('dt', {}, name), h('dd', {}, text)])),
    ...notesOf(session, call).map((note) => h('p', {}, note)),
  ];
}

function figuresOf(session: Session, call: number): string[][] {
  const at = call - 1;
  const context = session.context[at] ?? 0;
  const predicted = session.predicted[at] ?? null;
  const usd = session.usd[at] ?? null;
  const rows = [
    ['Turn', `${session.turn[at]}`],
    ['Context', `${tokens(context)} (${shareOf(context, session.info.window.tokens)})`],
    predicted !== null && ['Predicted', `${tokens(predicted)} (${signedText(context - predicted)})`],
    ...(session.withCtxb ? [[WITH_CTXB, figureOrNone(session.withCtxb[at])]] : []),
    ['Output', `${session.outputKnown[at] ? '' : '~'}${tokens(session.output[at] ?? 0)}`],
    usd !== null && ['Cost', `${dollars(usd)}, so far ${dollars(session.spent[at] ?? 0)}`],
  ];
  return rows.filter((row) => row !== false);
}

function figureOrNone(figure: number | null | undefined): string {
  return figure === null || figure === undefined ? '–' : tokens(figure);
}

/** Measured minus predicted. */
function signedText(difference: number): string {
  return difference < 0 ? `−${tokens(-difference)}` : `+${tokens(difference)}`;
}

/** Maximum number of kinds listed. */
const KINDS = 5;

function addedOf(session: Session, call: number): string[][] {
  return additionsOf(session, call)
    .slice(0, KINDS)
    .map(({ kind, figure }) => [`+ ${kind}`, `~${tokens(figure)}`]);
}

function notesOf({ info, turn }: Session, call: number): string[] {
  const prompt = info.prompts.find((each) => each.turn === turn[call - 1]);
  return [
    ...info.compactions.filter((each) => each.call === call - 1).map(({ by }) => `Before it ${WHO[by]}.`),
    ...info.compactions.filter((each) => each.call === call).map(({ by }) => `After it ${WHO[by]}.`),
    ...info.actions.filter((each) => each.call === call).map(({ text }) => `After it: ${text}`),
    ...(prompt === undefined ? [] : [`Turn: ${prompt.text}`]),
  ];
}

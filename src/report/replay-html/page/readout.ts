import { h } from '../../../browser/dom.ts';
import { COMPACTED_BY, dollars, shareOf, tokens } from '../../figures.ts';
import { additionsOf, type Call, type Session, WITH_CTXB } from './session.ts';
import type { Span } from './span.ts';

/** A box with the figures of the call under the pointer; on a narrow page it is fixed to the bottom. */
export function createReadout(session: Session, span: Span): HTMLElement {
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

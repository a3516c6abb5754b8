import { COMPACTED_BY, dollars, shareOf, tokens } from '../../figures.ts';
import { html } from '../../html.ts';
import { elementOf } from './dom.ts';
import { type Call, type Session, WITH_CTXB } from './session.ts';
import type { Span } from './span.ts';

/** A box with the figures of the chosen call; on a narrow page it is fixed to the bottom. */
export function followReadout(session: Session, span: Span): void {
  // Screen readers read `aria-valuetext` of the slider instead.
  const box = elementOf(html`<div class="readout" aria-hidden="true" hidden></div>`);
  span.watch(() => {
    const { at = 0, over = document.querySelector('.u-over'), from, to } = span;
    const call = session.calls[at - 1];
    box.hidden = call === undefined;
    if (call === undefined) return;
    const rows = rowsOf(session, call).map(([name, text]) => html`<dt>${name}</dt><dd>${text}</dd>`);
    const notes = notesOf(session, call).map((note) => html`<p>${note}</p>`);
    box.innerHTML = html`<strong>${titleOf(call)}</strong><dl>${rows}</dl>${notes}`.text;
    // CSS places it beside the call, on the side with more room.
    const share = (at - from) / (to - from);
    box.classList.toggle('left', share > 0.5);
    box.style.setProperty('--share', String(share));
    if (box.parentElement !== over) over?.append(box);
  });
}

/** The same figures for screen readers. */
export function spokenText(session: Session, call: Call): string {
  return `${titleOf(call)}: ${rowsOf(session, call)
    .map((row) => row.join(' '))
    .join(', ')}`;
}

function titleOf({ number }: Call): string {
  return `Call ${tokens(number)}`;
}

const MAX_KINDS = 5;

function rowsOf(session: Session, call: Call): string[][] {
  const { context, predicted, withCtxb, usd } = call;
  const rows = [
    ['Turn', `${call.turn}`],
    ['Context', `${tokens(context)} (${shareOf(context, session.info.window.tokens)})`],
    predicted !== null && ['Predicted', `${tokens(predicted)} (${signedText(context - predicted)})`],
    withCtxb !== null && [WITH_CTXB, tokens(withCtxb)],
    ['Output', call.outputText],
    usd !== null && ['Cost', `${dollars(usd)}, so far ${dollars(call.spent)}`],
    ...additionsOf(session, call.number),
  ];
  return rows.filter((row) => row !== false);
}

function additionsOf({ added }: Session, call: number): string[][] {
  return added
    .map(({ kind, tokens }) => ({ kind, figure: tokens[call - 1] ?? 0 }))
    .filter(({ figure }) => figure > 0)
    .sort((a, b) => b.figure - a.figure)
    .slice(0, MAX_KINDS)
    .map(({ kind, figure }) => [`+ ${kind}`, `~${tokens(figure)}`]);
}

function signedText(difference: number): string {
  return difference < 0 ? `−${tokens(-difference)}` : `+${tokens(difference)}`;
}

function notesOf({ info }: Session, { number, turn }: Call): string[] {
  const compactedAt = (call: number) => info.compactions.filter((each) => each.call === call);
  return [
    ...compactedAt(number - 1).map(({ by }) => `Before it: compacted by ${COMPACTED_BY[by]}.`),
    ...compactedAt(number).map(({ by }) => `After it: compacted by ${COMPACTED_BY[by]}.`),
    ...info.actions.filter(({ call }) => call === number).map(({ text }) => `After it: ${text}`),
    ...info.prompts.filter((prompt) => prompt.turn === turn).map(({ text }) => `Turn: ${text}`),
  ];
}

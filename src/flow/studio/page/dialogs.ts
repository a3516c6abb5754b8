import { button, h, part } from '../../../browser/dom.ts';
import type { DiffLine } from '../../../report/line-diff.ts';

/** Shows a message that stays until it is dealt with; without one, hides what is there. */
export function showNotice(message = '', ...more: readonly HTMLElement[]): void {
  const place = part('notice');
  place.hidden = message === '';
  place.replaceChildren(h('p', {}, message), ...more);
}

/** The element of a line, and the sign in front of it. */
const LINES = { kept: ['span', ' '], added: ['ins', '+'], removed: ['del', '-'], gap: ['span', '…'] } as const;

export interface Change {
  readonly file: string;
  readonly diff: readonly DiffLine[];
}

/** Shows the diff of each file and offers to save them. */
export function openReview(changes: readonly Change[], onSave: () => void): void {
  const dialog = part<HTMLDialogElement>('dialog');
  const onClick = () => {
    dialog.close();
    onSave();
  };
  const save = button('Save', onClick, { class: 'main' });
  const back = button('Back', () => dialog.close());
  dialog.replaceChildren(
    h('h2', { id: 'dialog-title' }, `Changes in ${changes.map(({ file }) => file).join(' and ')}`),
    ...changes.map(({ file, diff }) =>
      h('pre', { class: 'card', tabindex: 0, 'aria-label': `Changes in ${file}, line by line` }, ...diff.map(lineOf)),
    ),
    h('div', { class: 'actions' }, back, save),
  );
  dialog.showModal();
  save.focus();
}

function lineOf({ kind, text }: DiffLine): HTMLElement {
  const [name, sign] = LINES[kind];
  return h(name, {}, `${sign} ${text}\n`);
}

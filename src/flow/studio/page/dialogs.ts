import { button, h, part } from '../../../browser/dom.ts';
import type { DiffLine } from '../../../report/line-diff.ts';

/** A message that stays until it is dealt with. */
export interface Notice {
  readonly title: string;
  readonly lines: readonly string[];
  /** `hasFocus`: the button is focused. */
  readonly action?: { readonly text: string; readonly onClick: () => void; readonly hasFocus: boolean };
}

export function showNotice(notice: Notice | undefined): void {
  const place = part('notice');
  place.hidden = notice === undefined;
  place.replaceChildren();
  if (notice === undefined) return;
  const { title, lines, action } = notice;
  const todo = action && button(action.text, action.onClick, { class: 'main' });
  place.append(
    h('p', {}, title),
    ...(lines.length > 0 ? [h('ul', {}, ...lines.map((line) => h('li', {}, line)))] : []),
    ...(todo ? [todo] : []),
  );
  if (action?.hasFocus) todo?.focus();
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

import { button, h, part } from '../../../browser/dom.ts';
import type { DiffLine } from '../../../report/line-diff.ts';

/** Something that stands in the way until it is dealt with. */
export interface Notice {
  readonly title: string;
  readonly lines: readonly string[];
  /** `hasFocus`: it is what the person goes on with. */
  readonly action?: { readonly text: string; readonly onClick: () => void; readonly hasFocus: boolean };
}

/** undefined takes it away. */
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

const SIGNS: Readonly<Record<DiffLine['kind'], string>> = { kept: ' ', added: '+', removed: '-', gap: '…' };

/** Shows what would change in the file, and saves it when that is wanted. */
export function openReview(file: string, diff: readonly DiffLine[], onSave: () => void): void {
  const dialog = part<HTMLDialogElement>('dialog');
  const save = button('Save', () => {
    dialog.close();
    onSave();
  });
  save.classList.add('main');
  const back = button('Back', () => dialog.close());
  dialog.replaceChildren(
    h('h2', { id: 'dialog-title' }, `Changes in ${file}`),
    h('pre', { tabindex: 0, 'aria-label': 'Changes, line by line' }, ...diff.map(lineOf)),
    h('div', { class: 'actions' }, back, save),
  );
  dialog.showModal();
  save.focus();
}

function lineOf({ kind, text }: DiffLine): HTMLElement {
  const name = kind === 'added' ? 'ins' : kind === 'removed' ? 'del' : 'span';
  return h(name, {}, `${SIGNS[kind]} ${text}\n`);
}

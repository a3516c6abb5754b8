import { button, h, part } from '../../../browser/dom.ts';
import type { DiffLine } from '../../../report/line-diff.ts';

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

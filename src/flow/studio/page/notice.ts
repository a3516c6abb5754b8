import { button, h, part } from '../../../browser/dom.ts';

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

import type { Html } from '../../html.ts';

/** Makes an element from its HTML, and appends other elements. The page's security policy forbids `style` attributes. */
export function elementOf(markup: Html, ...children: readonly Node[]): HTMLElement {
  const template = document.createElement('template');
  template.innerHTML = markup.text;
  const element = template.content.firstElementChild as HTMLElement;
  element.append(...children);
  return element;
}

/** An element of the static page, which always exists. */
export function elementById(id: string): HTMLElement {
  return document.getElementById(id) as HTMLElement;
}

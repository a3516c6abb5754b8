import { h, part } from '../../../browser/dom.ts';
import type { PageData } from '../page-data.ts';
import { OTHER_COLORS } from './chart.ts';
import { createSessionList, nameOf } from './session-list.ts';
import { createSessionView } from './session-view.ts';

const { sessions } = JSON.parse(part('data').textContent ?? '') as PageData;
let shown: number | undefined;

/** Shows the session named in the URL's hash, or the list of all sessions. */
function route(): void {
  const chosen = sessions.length === 1 ? 1 : Number(/^#session-(\d+)$/.exec(location.hash)?.[1] ?? 0);
  // Ignore other anchors, such as the skip link's.
  if (shown !== undefined && chosen === 0 && location.hash.length > 1) return;
  if (chosen === shown) return;
  const isFirst = shown === undefined;
  shown = chosen;
  show(chosen);
  if (!isFirst) {
    scrollTo(0, 0);
    part('main').focus({ preventScroll: true });
  }
}

function show(chosen: number): void {
  const session = sessions[chosen - 1];
  const title = session === undefined ? 'What happened to the context' : nameOf(session);
  document.title = `${title} · ctxb replay`;
  part('head').replaceChildren(
    h('h1', {}, title),
    ...(session !== undefined && sessions.length > 1 ? [siblings(chosen)] : []),
  );
  part('main').replaceChildren(...(session === undefined ? createSessionList(sessions) : createSessionView(session)));
}

function siblings(chosen: number): HTMLElement {
  const link = (to: number, text: string) =>
    to < 1 || to > sessions.length ? undefined : h('a', { href: `#session-${to}` }, text);
  return h(
    'nav',
    { 'aria-label': 'Sessions' },
    h('a', { href: '#' }, 'All sessions'),
    link(chosen - 1, '‹ Previous'),
    link(chosen + 1, 'Next ›'),
  );
}

function redraw(): void {
  for (const chart of document.querySelectorAll('.chart')) chart.dispatchEvent(new Event(OTHER_COLORS));
}

addEventListener('hashchange', route);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
// Print in light colors.
for (const isPrinting of [true, false]) {
  addEventListener(isPrinting ? 'beforeprint' : 'afterprint', () => {
    document.documentElement.classList.toggle('printing', isPrinting);
    redraw();
  });
}
route();

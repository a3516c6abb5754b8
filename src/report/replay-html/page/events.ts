import type { PageSession } from '../page-data.ts';
import type { Pen } from './pen.ts';
import type { Session } from './session.ts';
import type { Span } from './span.ts';

export const WHO: Readonly<Record<PageSession['compactions'][number]['by'], string>> = {
  claude: 'claude compacted',
  placed: 'claude compacted where ctxb had put it',
  caller: 'compacted by the caller',
  ctxb: 'ctxb compacted',
};

/** Actions that stand for trouble. */
const GRAVE: ReadonlySet<string> = new Set(['exhausted', 'unrelieved', 'give-up', 'trigger-refused', 'left-undone']);

/** Compactions as lines from top to bottom, actions as marks above the curve. */
export function drawEvents(pen: Pen, { info }: Session, span: Span): void {
  const isShown = (call: number) => call + 0.5 >= span.from && call + 0.5 <= span.to;
  const { box, colors, x, stroke, shape, text } = pen;
  let free = box.left;
  for (const { call, by } of info.compactions.filter((each) => isShown(each.call))) {
    const at = x(call + 0.5);
    stroke(
      colors.ink,
      [
        [at, box.top],
        [at, box.top + box.height],
      ],
      [5, 3],
    );
    // A name that would run into the one before is left out: the tooltip and the table have it.
    if (at < free || at + 170 > box.left + box.width) continue;
    free = at + text(colors.ink, WHO[by], at + 5, box.top + 9) + 14;
  }
  for (const { call, kind } of info.actions.filter((each) => isShown(each.call))) {
    const at = x(call + 0.5);
    const color = GRAVE.has(kind) ? colors.bad : colors.warn;
    shape(color, [
      [at - 5, box.top - 10],
      [at + 5, box.top - 10],
      [at, box.top - 1],
    ]);
  }
}

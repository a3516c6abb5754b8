import { grouped, s } from '../../../browser/dom.ts';
import { bindingOf, type FlowView, type StepView } from '../studio-view.ts';

const NODE = { width: 212, height: 56 };
const GAP = { x: 20, y: 34 };
/** Room at the left for arrows that pass other steps. */
const LANE = 28;
const LETTERS = 27;

interface Place {
  readonly x: number;
  readonly y: number;
  readonly stage: number;
}

/** Draws the steps, a row for each stage; each is a link to its budgets. */
export function drawGraph({ steps }: FlowView, selected: string | null): SVGSVGElement {
  const places = placesOf(steps);
  const columns = Math.max(...[...places.values()].map(({ x }) => x)) + NODE.width;
  const rows = Math.max(...[...places.values()].map(({ y }) => y)) + NODE.height;
  const arrows = steps.flatMap(({ id, after }) => after.map((need) => arrow(places.get(need), places.get(id))));
  const size = { width: columns + 4, height: rows + 4 };
  return s(
    'svg',
    { ...size, viewBox: `-2 -2 ${size.width} ${size.height}`, role: 'group', 'aria-label': 'Graph of the steps' },
    s('defs', {}, arrowHead()),
    s('g', { class: 'arrows', 'aria-hidden': 'true' }, ...arrows),
    ...steps.map((step) => node(step, places.get(step.id), step.id === selected)),
  );
}

function placesOf(steps: readonly StepView[]): ReadonlyMap<string, Place> {
  const inStage: number[] = [];
  return new Map(
    steps.map(({ id, stage }) => {
      const column = inStage[stage] ?? 0;
      inStage[stage] = column + 1;
      return [id, { x: LANE + column * (NODE.width + GAP.x), y: stage * (NODE.height + GAP.y), stage }];
    }),
  );
}

function arrowHead() {
  const head = { id: 'head', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto' };
  return s('marker', head, s('path', { d: 'M0 0 8 4 0 8z' }));
}

function arrow(from: Place | undefined, to: Place | undefined) {
  if (from === undefined || to === undefined) return undefined;
  const [x1, y1, x2, y2] = [from.x + NODE.width / 2, from.y + NODE.height, to.x + NODE.width / 2, to.y - 2];
  const bend = GAP.y * 0.6;
  const direct = `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`;
  // An arrow over more than one stage passes the steps between at their left.
  const [turn, lane] = [GAP.y / 2, LANE / 2];
  const round =
    `M${x1} ${y1}C${x1} ${y1 + turn} ${lane} ${y1} ${lane} ${y1 + turn * 2}` +
    `L${lane} ${y2 - turn * 2}C${lane} ${y2} ${x2} ${y2 - turn} ${x2} ${y2}`;
  return s('path', { d: to.stage - from.stage > 1 ? round : direct, 'marker-end': 'url(#head)' });
}

function node(step: StepView, place: Place | undefined, isSelected: boolean) {
  const { x = 0, y = 0 } = place ?? {};
  const { id, budgets } = step;
  const isOwn = Object.keys(budgets.own).length > 0;
  const about = aboutOf(step, isOwn);
  return s(
    'a',
    {
      href: `#step/${id}`,
      class: isOwn ? 'node own' : 'node',
      'data-step': id,
      'aria-label': about,
      'aria-current': isSelected ? 'true' : undefined,
    },
    s('title', {}, about),
    s('rect', { x, y, rx: 8, ...NODE }),
    isOwn && s('rect', { class: 'bar', x, y: y + 8, width: 4, height: NODE.height - 16 }),
    s('text', { class: 'name', x: x + 14, y: y + 23 }, id.length > LETTERS ? `${id.slice(0, LETTERS - 1)}…` : id),
    s('text', { class: 'facts', x: x + 14, y: y + 42 }, grouped(budgets.effective.contextBudgetChars.value)),
    s('text', { class: 'facts', x: x + NODE.width - 12, y: y + 42, 'text-anchor': 'end' }, signsOf(step)),
  );
}

function aboutOf({ id, agent, budgets, receipt }: StepView, isOwn: boolean): string {
  const { value, source } = budgets.effective.contextBudgetChars;
  const marks = [
    isOwn && 'has budgets of its own',
    budgets.warnings.length > 0 && 'not all budgets are used as they are set',
    wasBinding(receipt) && 'its budget was binding',
  ];
  return [id, agent, `${grouped(value)} characters from ${source}`, ...marks].filter(Boolean).join(', ');
}

function signsOf({ budgets, receipt }: StepView): string {
  return [wasBinding(receipt) && '▮ binding', budgets.warnings.length > 0 && '▲ warning'].filter(Boolean).join('  ');
}

function wasBinding(receipt: StepView['receipt']): boolean {
  return receipt !== undefined && !('fault' in receipt) && bindingOf(receipt) === 'whole';
}

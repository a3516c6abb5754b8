import { initialState } from '../../src/core/governor/initial-state.ts';
import { type RecordLine, readRecord, readRecordedRun } from '../../src/core/governor/record.ts';
import type { ExactReceipt } from '../../src/core/protocol/exact-plan.ts';
import { createHost, type GovernorHost, type Transition } from '../../src/host/governor-host.ts';
import { tokens } from '../../src/report/figures.ts';

/** A call of the main thread. */
interface DrawnCall {
  readonly context: number;
  readonly turn: number;
  /** Tokens that an exact compaction removed before this call. */
  readonly freed: number;
  readonly exact: ExactReceipt | undefined;
}

const [WIDTH, HEIGHT] = [720, 300];
const PLOT = { left: 56, right: 600, top: 36, bottom: 252 } as const;

const STYLE = `
    text { font: 12px system-ui, sans-serif; fill: #1f2328 }
    .faint { fill: #59636e }
    .grid { stroke: #d1d9e0 }
    polyline { fill: none; stroke-width: 2.5; stroke-linejoin: round }
    .ctxb { stroke: #0969da } text.ctxb { stroke: none; fill: #0969da; font-weight: 600 }
    .left { stroke: #8c959f; stroke-dasharray: 4 4 } text.left { stroke: none; fill: #59636e }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc }
      .faint, text.left { fill: #9198a1 }
      .grid { stroke: #3d444d }
      .ctxb { stroke: #58a6ff } text.ctxb { fill: #58a6ff }
      .left { stroke: #656c76 }
    }`;

/** The context over the calls of a recorded run, and what it would have been without its exact compactions: an SVG. */
export function runPicture(record: readonly RecordLine[]): string {
  const calls = drawnCalls(record);
  const alone = calls.map(({ context }, at) => context + sumOf(calls.slice(0, at + 1).map(({ freed }) => freed)));
  const most = Math.ceil(Math.max(...alone) / 50_000) * 50_000;
  const x = (call: number) => round(PLOT.left + (call / (calls.length - 1)) * (PLOT.right - PLOT.left));
  const y = (size: number) => round(PLOT.bottom - (size / most) * (PLOT.bottom - PLOT.top));
  const points = (sizes: readonly number[]) => sizes.map((size, call) => `${x(call)},${y(size)}`).join(' ');
  const last = calls.length - 1;
  const told = `${calls.length} calls of a run: the context is compacted ${calls.filter(({ exact }) => exact).length} times, at most ${tokens(Math.max(...calls.map(({ context, freed }) => context + freed)))} tokens instead of ${tokens(Math.max(...alone))}`;
  const grid = Array.from({ length: most / 50_000 + 1 }, (_, step) => step * 50_000);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" role="img" aria-label="${told}">`,
    `  <title>${told}</title>`,
    `  <style>${STYLE}\n  </style>`,
    ...grid.flatMap((size) => [
      `  <line class="grid" x1="${PLOT.left}" x2="${PLOT.right}" y1="${y(size)}" y2="${y(size)}"/>`,
      `  <text class="faint" x="${PLOT.left - 8}" y="${y(size) + 4}" text-anchor="end">${size === 0 ? '0' : `${size / 1_000}k`}</text>`,
    ]),
    ...calls.flatMap(({ turn }, call) =>
      turn === calls[call - 1]?.turn
        ? []
        : [`  <text class="faint" x="${x(call)}" y="${PLOT.bottom + 18}">↑ ${turn + 1}</text>`],
    ),
    `  <polyline class="left" points="${points(alone)}"/>`,
    `  <text class="left" x="${PLOT.right + 8}" y="${y(alone[last] ?? 0) + 4}">not compacted</text>`,
    `  <polyline class="ctxb" points="${points(calls.map(({ context }) => context))}"/>`,
    `  <text class="ctxb" x="${PLOT.right + 8}" y="${y(calls[last]?.context ?? 0) + 4}">ctxb run</text>`,
    ...calls.flatMap(({ exact, context }, call) =>
      exact === undefined ? [] : [label(exact, x(call), y(context), call === calls.findIndex((one) => one.exact))],
    ),
    `  <text class="faint" x="${PLOT.left}" y="${HEIGHT - 10}">calls, ↑ prompts; up: tokens of the context. A run of ctxb demo, with made-up token counts</text>`,
    '</svg>',
    '',
  ].join('\n');
}

function label({ ms }: ExactReceipt, x: number, y: number, isFirst: boolean): string {
  return `  <text class="ctxb" x="${x + 8}" y="${y + 18}">${isFirst ? 'compacted in ' : ''}${ms} ms</text>`;
}

function drawnCalls(record: readonly RecordLine[]): DrawnCall[] {
  const calls: DrawnCall[] = [];
  for (const { before, after, actions } of playRecord(record)) {
    if (after.gauge.calls === before.gauge.calls) continue;
    const landed = actions.find((action) => action.kind === 'landed');
    const turn = after.turn.ended;
    calls.push({ context: after.gauge.used, turn, freed: landed?.freed ?? 0, exact: landed?.exact });
  }
  return calls;
}

function* playRecord(record: readonly RecordLine[]): Generator<Transition> {
  let host: GovernorHost | undefined;
  for (const entry of record) {
    const fields = { ...entry };
    const run = readRecordedRun(fields);
    if (run) host = createHost(initialState(run));
    const input = run === undefined ? readRecord(fields, 0) : undefined;
    if (host !== undefined && input !== undefined) yield host.feed(input);
  }
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
const round = (value: number) => Math.round(value * 10) / 10;

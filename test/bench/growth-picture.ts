/** What is drawn: after each step, tokens of all requests so far. */
export interface GrowthPicture {
  readonly flow: readonly number[];
  readonly log: readonly number[];
}

const WIDTH = 720;
const HEIGHT = 340;
const PLOT = { left: 64, right: 560, top: 24, bottom: 288 } as const;

const STYLE = `
    text { font: 13px system-ui, sans-serif; fill: #1f2328 }
    .faint { fill: #59636e }
    .grid { stroke: #d1d9e0 }
    polyline { fill: none; stroke-width: 2.5; stroke-linejoin: round }
    .log { stroke: #bc4c00 } text.log { stroke: none; fill: #bc4c00; font-weight: 600 }
    .flow { stroke: #0969da } text.flow { stroke: none; fill: #0969da; font-weight: 600 }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc }
      .faint { fill: #9198a1 }
      .grid { stroke: #3d444d }
      .log { stroke: #f0883e } text.log { fill: #f0883e }
      .flow { stroke: #58a6ff } text.flow { fill: #58a6ff }
    }`;

/** An SVG that needs nothing else, in light and dark. */
export function growthPicture({ flow, log }: GrowthPicture): string {
  const steps = flow.length;
  const top = Math.max(...flow, ...log);
  const unit = 250_000;
  const x = (step: number) => round(PLOT.left + (step / steps) * (PLOT.right - PLOT.left));
  const y = (tokens: number) => round(PLOT.bottom - (tokens / top) * (PLOT.bottom - PLOT.top));
  const line = (name: string, totals: readonly number[]) => {
    const points = [0, ...totals].map((tokens, step) => `${x(step)},${y(tokens)}`).join(' ');
    return `  <polyline class="${name}" points="${points}"/>`;
  };
  const label = (name: string, title: string, tokens: number) => [
    `  <text class="${name}" x="${PLOT.right + 10}" y="${y(tokens) - 2}">${title}</text>`,
    `  <text class="faint" x="${PLOT.right + 10}" y="${y(tokens) + 15}">${millions(tokens)} tokens</text>`,
  ];
  const [flowEnd = 0, logEnd = 0] = [flow.at(-1), log.at(-1)];
  const told = `After ${steps} steps: ${millions(logEnd)} tokens in one conversation, ${millions(flowEnd)} in a flow`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" role="img" aria-label="${told}">`,
    `  <title>${told}</title>`,
    `  <style>${STYLE}\n  </style>`,
    ...Array.from({ length: Math.floor(top / unit) + 1 }, (_, count) => [
      `  <line class="grid" x1="${PLOT.left}" x2="${PLOT.right}" y1="${y(count * unit)}" y2="${y(count * unit)}"/>`,
      `  <text class="faint" x="${PLOT.left - 8}" y="${y(count * unit) + 4}" text-anchor="end">${millions(count * unit)}</text>`,
    ]).flat(),
    ...Array.from({ length: Math.floor(steps / 5) + 1 }, (_, count) => {
      const step = count * 5;
      return `  <text class="faint" x="${x(step)}" y="${PLOT.bottom + 20}" text-anchor="middle">${step}</text>`;
    }),
    `  <text class="faint" x="${(PLOT.left + PLOT.right) / 2}" y="${PLOT.bottom + 42}" text-anchor="middle">steps done; up: prompt tokens of all requests so far</text>`,
    line('log', log),
    line('flow', flow),
    ...label('log', 'one conversation', logEnd),
    ...label('flow', 'ctxb flow run', flowEnd),
    '</svg>',
    '',
  ].join('\n');
}

/** 1250000 → `1.25 M`. */
function millions(tokens: number): string {
  return tokens === 0 ? '0' : `${Number((tokens / 1_000_000).toFixed(2))} M`;
}

function round(length: number): number {
  return Math.round(length * 10) / 10;
}

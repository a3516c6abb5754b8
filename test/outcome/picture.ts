/** A variant's bar. */
export interface Bar {
  readonly name: string;
  readonly usd: number;
  /** What went wrong: dead ends repeated, constraints violated, steps given up and failed turns. */
  readonly faults: number;
}

/** The bars of one job. */
export interface Bars {
  readonly title: string;
  readonly bars: readonly Bar[];
}

const WIDTH = 720;
const BARS = { left: 230, right: 540 } as const;
const ROW = 24;
const HEADING = 40;

const STYLE = `
    text { font: 13px system-ui, sans-serif; fill: #1f2328 }
    .title { font-weight: 600 }
    .faint { fill: #59636e }
    .claude { fill: #8c959f }
    .ctxb { fill: #0969da }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc }
      .faint { fill: #9198a1 }
      .claude { fill: #656c76 }
      .ctxb { fill: #58a6ff }
    }`;

/** What each variant costs in each job: an SVG that needs nothing else, in light and dark. */
export function costPicture(jobs: readonly Bars[]): string {
  const most = Math.max(...jobs.flatMap(({ bars }) => bars.map(({ usd }) => usd)));
  const height = jobs.reduce((sum, { bars }) => sum + HEADING + ROW * bars.length, 16);
  const lines: string[] = [];
  let y = 0;
  for (const { title, bars } of jobs) {
    lines.push(`  <text class="title" x="8" y="${y + HEADING - 14}">${title}</text>`);
    y += HEADING;
    for (const bar of bars) {
      lines.push(...row(bar, y, most));
      y += ROW;
    }
  }
  const told = `What a job costs: ${jobs.map(({ title }) => title).join('; ')}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" role="img" aria-label="${told}">`,
    `  <title>${told}</title>`,
    `  <style>${STYLE}\n  </style>`,
    ...lines,
    '</svg>',
    '',
  ].join('\n');
}

function row({ name, usd, faults }: Bar, y: number, most: number): string[] {
  const length = Math.round((usd / most) * (BARS.right - BARS.left));
  const kind = name.startsWith('ctxb') ? 'ctxb' : 'claude';
  const told = faults === 0 ? '' : `, ${faults} ${faults === 1 ? 'fault' : 'faults'}`;
  return [
    `  <text x="${BARS.left - 8}" y="${y + 15}" text-anchor="end">${name}</text>`,
    `  <rect class="${kind}" x="${BARS.left}" y="${y + 2}" width="${length}" height="${ROW - 7}" rx="2"/>`,
    `  <text x="${BARS.left + length + 6}" y="${y + 15}">$${usd.toFixed(2)}<tspan class="faint">${told}</tspan></text>`,
  ];
}

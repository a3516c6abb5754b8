export interface Bar {
  readonly name: string;
  readonly value: number;
  /** The value as it is shown, and what is said behind it. */
  readonly label: string;
  readonly note?: string;
}

/** Bars of one group, in one unit. */
export interface Bars {
  readonly title: string;
  readonly bars: readonly Bar[];
  /** A value with a line through all bars. */
  readonly line?: number;
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
    .line { stroke: #59636e }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc }
      .faint { fill: #9198a1 }
      .claude { fill: #656c76 }
      .ctxb { fill: #58a6ff }
      .line { stroke: #9198a1 }
    }`;

/** What jobs cost: an SVG that needs nothing else, in light and dark. */
export function costPicture(groups: readonly Bars[]): string {
  const most = Math.max(...groups.flatMap(({ bars }) => bars.map(({ value }) => value)));
  const height = groups.reduce((sum, { bars }) => sum + HEADING + ROW * bars.length, 16);
  const lines: string[] = [];
  let y = 0;
  for (const { title, bars, line } of groups) {
    lines.push(`  <text class="title" x="8" y="${y + HEADING - 14}">${title}</text>`);
    y += HEADING;
    if (line !== undefined) lines.push(lineAt(BARS.left + lengthOf(line, most), y, y + ROW * bars.length));
    for (const bar of bars) {
      lines.push(...row(bar, y, most, line));
      y += ROW;
    }
  }
  const told = `What a job costs: ${groups.map(({ title }) => title).join('; ')}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" role="img" aria-label="${told}">`,
    `  <title>${told}</title>`,
    `  <style>${STYLE}\n  </style>`,
    ...lines,
    '</svg>',
    '',
  ].join('\n');
}

function lengthOf(value: number, most: number): number {
  return Math.round((value / most) * (BARS.right - BARS.left));
}

function lineAt(x: number, from: number, to: number): string {
  return `  <line class="line" x1="${x}" x2="${x}" y1="${from}" y2="${to}"/>`;
}

/** The figures stand behind the bar, and behind the line. */
function row({ name, value, label, note = '' }: Bar, y: number, most: number, line = 0): string[] {
  const length = lengthOf(value, most);
  const kind = name.includes('alone') || name.includes('own variable') ? 'claude' : 'ctxb';
  return [
    `  <text x="${BARS.left - 8}" y="${y + 15}" text-anchor="end">${name}</text>`,
    `  <rect class="${kind}" x="${BARS.left}" y="${y + 2}" width="${length}" height="${ROW - 7}" rx="2"/>`,
    `  <text x="${BARS.left + lengthOf(Math.max(value, line), most) + 6}" y="${y + 15}">${label}<tspan class="faint">${note}</tspan></text>`,
  ];
}

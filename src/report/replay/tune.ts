import type { HalfFigures, Levels, Tuning } from '../../replay/what-if/tune.ts';
import { counted, dollars, tokens } from '../figures.ts';
import { folded, indented } from '../layout.ts';
import type { Style } from '../style.ts';

/** `thresholds.compact 0.5, thresholds.midTurn 0.6` */
export function levelsText(levels: Levels): string {
  return Object.entries(levels)
    .map(([key, value]) => `${key} ${value}`)
    .join(', ');
}

export function tuningText(tuning: Tuning, style: Style, columns?: number): string {
  const { sessions, leftOut, tried, best, chosen, judged, assumptions } = tuning;
  const left = leftOut === 0 ? '' : `; ${counted(leftOut, 'session')} left out: no window, no price, or a copy`;
  return [
    `${style.bold('Tuned')} on ${counted(sessions, 'session')}, ${counted(tried, 'set')} of levels tried${left}`,
    ...(best && chosen && judged ? ['', ...indented(tableOf(best, [chosen, judged]), style.dim, columns), ''] : []),
    verdictText(tuning, style),
    ...assumptions.map((sentence) => `  ${style.dim(sentence)}`),
  ]
    .map((line) => `${folded(line, columns)}\n`)
    .join('');
}

function tableOf(best: Levels, halves: readonly HalfFigures[]): string[][] {
  const row = (name: string, of: (half: HalfFigures) => string) => [name, ...halves.map(of)];
  const cost = (usd: number, reliefs: number) => `${counted(reliefs, 'relief')}  ${dollars(usd).padStart(10)}`;
  const heads = ['that chose', 'held out'].map(
    (what, at) => `${counted(halves[at]?.sessions ?? 0, 'session')} ${what}`,
  );
  return [
    ['', ...heads],
    row('what happened', ({ actualUsd }) => dollars(actualUsd)),
    row('in force', ({ inForceUsd, reliefs }) => cost(inForceUsd, reliefs.inForce)),
    row(levelsText(best), ({ bestUsd, reliefs }) => cost(bestUsd, reliefs.best)),
    row('saved', ({ saved }) => share(saved)),
  ];
}

function verdictText({ verdict, best, judged, sessions }: Tuning, style: Style): string {
  const nothing = style.bold('Nothing to propose');
  if (verdict === 'few') return `${nothing}: ${counted(sessions, 'session')} can be judged, 20 are needed`;
  if (best === null || judged === null) return `${nothing}: what is in force costs least`;
  const {
    saved,
    interval: [low, high],
    cheaper,
    dearer,
  } = judged;
  const found = `${share(saved)} (95% bootstrap interval ${share(low)} to ${share(high)}; cheaper in ${tokens(cheaper)}, dearer in ${tokens(dearer)}) on sessions that were not used to choose`;
  const name = levelsText(best);
  if (verdict === 'proposed') return `${style.bold(`Proposed: ${name}`)}: would have saved ${found}`;
  const why = verdict === 'small' ? 'is less than 5%, the error of the simulation' : 'is not larger than its spread';
  return `${nothing}: what ${name} would have saved, ${found}, ${why}`;
}

function share(fraction: number): string {
  return `${(fraction * 100).toFixed(1)}%`;
}

import type { Breach } from '../../replay/gates.ts';
import type { SessionFigures } from '../../replay/summary.ts';
import { counted, dollars, percent, tokens } from '../figures.ts';
import { onOneLine } from '../shown.ts';

/** A gate that a session failed, on one line, with its file and the call. */
export function breachText({ file, sessionId }: SessionFigures, breach: Breach): string {
  const session = sessionId === null ? '' : ` (session ${sessionId})`;
  return onOneLine(`${file}${session}: ${whatText(breach)}`);
}

function whatText({ gate, found, limit, call, share, isLost }: Breach): string {
  if (isLost) return 'lines that held calls are malformed, so what they hold cannot be compared with the limit';
  switch (gate) {
    case 'context': {
      if (Number.isNaN(found))
        return `its window is unknown, so ${percent(limit)} has no meaning: set it with --window`;
      const ofWindow = share === undefined ? '' : ` (${exactPercent(share)})`;
      return `call ${call} had a context of ${tokens(found)} tokens${ofWindow}, over ${limit > 1 ? tokens(limit) : percent(limit)}`;
    }
    case 'compactions':
      return `${counted(found, 'compaction')}, more than ${limit}: the first one over it after call ${call}`;
    case 'unplanned':
      return `${counted(found, 'compaction')} by claude itself, more than ${limit}: the first one over it after call ${call}`;
    case 'costUsd':
      if (Number.isNaN(found)) return `its cost is not known, so it cannot be compared with ${dollars(limit)}`;
      return `it cost ${dollars(found)}, more than ${dollars(limit)}${call === null ? '' : `: beyond that by call ${call}`}`;
    case 'retention':
      return `its compactions and handoffs kept ${exactPercent(found)} of what must not be lost, less than ${exactPercent(limit)}: least at call ${call}`;
  }
}

/** One place more than elsewhere: 85.2% is over 85%. */
function exactPercent(fraction: number): string {
  return `${(fraction * 100).toFixed(1)}%`;
}

import { type Fields, jsonText, textOf } from '../../core/protocol/fields.ts';
import type { CheckedRecord, Difference } from '../../replay/check-record.ts';
import type { Breach } from '../../replay/gates.ts';
import type { SessionSummary } from '../../replay/summary.ts';
import { counted, dollars, percent, tokens } from '../figures.ts';
import { onOneLine } from '../shown.ts';

/** A gate that a session failed, on one line, with its file and the call. */
export function breachText({ file, sessionId, window }: SessionSummary, breach: Breach): string {
  const session = sessionId === null ? '' : ` (session ${sessionId})`;
  return onOneLine(`${file}${session}: ${whatText(breach, window.tokens)}`);
}

function whatText({ gate, found, limit, call }: Breach, window: number | null): string {
  switch (gate) {
    case 'context': {
      if (Number.isNaN(found))
        return `its window is not known, so ${percent(limit)} of it means nothing: set it with --window`;
      const share = window === null ? '' : ` (${exactPercent(found / window)})`;
      return `call ${call} had a context of ${tokens(found)} tokens${share}, over ${limit > 1 ? tokens(limit) : percent(limit)}`;
    }
    case 'compactions':
      return `${counted(found, 'compaction')}, more than ${limit}: the first one over it after call ${call}`;
    case 'unplanned':
      return `${counted(found, 'compaction')} by claude itself, more than ${limit}: the first one over it after call ${call}`;
    case 'costUsd':
      if (Number.isNaN(found)) return `its cost is not known, so it cannot be compared with ${dollars(limit)}`;
      return `it cost ${dollars(found)}, more than ${dollars(limit)}${call === null ? '' : `: beyond that by call ${call}`}`;
    case 'retention':
      if (Number.isNaN(found)) return 'it is not known what its compactions kept: make the part with --retention';
      return `its compactions and handoffs kept ${exactPercent(found)} of what must not be lost, less than ${exactPercent(limit)}: least at call ${call}`;
  }
}

/** One place more than elsewhere: 85.2% is over 85%. */
function exactPercent(fraction: number): string {
  return `${(fraction * 100).toFixed(1)}%`;
}

export function checkText(checked: CheckedRecord): string {
  return onOneLine(`${checked.file}: ${verdictText(checked)}`);
}

function verdictText(checked: CheckedRecord): string {
  switch (checked.verdict) {
    case 'same':
      return checked.actions === 0 ? 'no action, as in the run' : `the same ${counted(checked.actions, 'action')}`;
    case 'no-actions':
      return 'holds no actions to check: expected a file written by `ctxb run --record` of this version';
    case 'different':
      return `line ${checked.line}, action ${checked.action}: ${differenceText(checked)}`;
  }
}

function differenceText({ expected, found }: Difference): string {
  if (expected === null || found === null) return `expected ${nameOf(expected)}, found ${nameOf(found)}`;
  const keys = [...new Set([...Object.keys(expected), ...Object.keys(found)])];
  const key = keys.find((name) => jsonText(expected[name]) !== jsonText(found[name]));
  if (key === undefined || key === 'kind') return `expected ${nameOf(expected)}, found ${nameOf(found)}`;
  return `of ${jsonText(expected.kind)} expected ${key} ${shown(expected[key])}, found ${shown(found[key])}`;
}

function nameOf(decision: Fields | null): string {
  if (decision === null) return 'none';
  return `${jsonText(decision.kind)} (${textOf(decision.reason) ?? ''})`;
}

function shown(value: unknown): string {
  return value === undefined ? 'none' : jsonText(value);
}

import type { CheckedRecord, Difference } from '../replay/check-record.ts';
import { type Fields, jsonText, textOf } from '../stream/fields.ts';
import { counted } from './figures.ts';
import { onOneLine } from './shown.ts';

/** What checking a record came to, in one line. */
export function checkText(checked: CheckedRecord): string {
  return onOneLine(`${checked.file}: ${verdictText(checked)}`);
}

function verdictText(checked: CheckedRecord): string {
  switch (checked.verdict) {
    case 'same':
      return checked.actions === 0 ? 'no action, as in the run' : `the same ${counted(checked.actions, 'action')}`;
    case 'no-actions':
      return 'holds no actions to check: expected a file that `ctxb run --record` of this version has written';
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

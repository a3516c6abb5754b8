import type { ResolvedConfig } from '../../config/resolve-config.ts';
import type { Remark } from '../remark.ts';

/** What is wrong in the configuration, and else where it comes from. */
export function checkConfiguration({ findings, warnings, sources }: ResolvedConfig): Remark[] {
  const faults = findings.map(
    ({ message }): Remark => ({ status: 'fault', subject: 'configuration', text: message, todo: 'ctxb config' }),
  );
  const odd = warnings.map(
    ({ message }): Remark => ({ status: 'warning', subject: 'configuration', text: message, todo: 'remove it' }),
  );
  if (faults.length + odd.length > 0) return [...faults, ...odd];
  const set = Object.values(sources).filter(({ source }) => source !== 'default');
  const places = [...new Set(set.flatMap(({ where }) => where ?? []))];
  const text = places.length === 0 ? 'defaults only' : `${set.length} set in ${places.join(', ')}`;
  return [{ status: 'good', subject: 'configuration', text }];
}

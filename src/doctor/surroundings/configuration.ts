import type { ResolvedConfig } from '../../config/resolve-config.ts';
import type { Remark } from '../remark.ts';

/** What is wrong in the configuration, and else where it comes from. */
export function checkConfiguration({ findings, sources }: ResolvedConfig): Remark[] {
  const faults = findings.map(
    ({ message }): Remark => ({ status: 'fault', subject: 'configuration', text: message, todo: 'ctxb config' }),
  );
  if (faults.length > 0) return faults;
  const set = Object.values(sources).filter(({ source }) => source !== 'default');
  const places = [...new Set(set.flatMap(({ where }) => where ?? []))];
  const text = places.length === 0 ? 'defaults only' : `${set.length} set in ${places.join(', ')}`;
  return [{ status: 'good', subject: 'configuration', text }];
}

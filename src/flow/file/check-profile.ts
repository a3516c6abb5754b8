import { closest } from '../../config/closest.ts';
import { shown } from '../../config/finding.ts';
import { isRecord } from '../../config/read-config.ts';
import { type Fault, nameText } from './fault.ts';
import { budgets } from './flow-schema.ts';

/** A chosen profile that there is not. */
export function checkProfile({ profile, profiles }: Readonly<Record<string, unknown>>): Fault[] {
  const names = isRecord(profiles) ? Object.keys(profiles) : [];
  if (typeof profile !== 'string' || names.includes(profile)) return [];
  const expected =
    names.length === 0
      ? 'the name of one of profiles, of which there are none'
      : `one of ${names.slice(0, 20).map(nameText).join(', ')}`;
  return [{ path: ['profile'], expected, found: shown(profile), todo: adviceFor(profile, names) }];
}

function adviceFor(profile: string, names: readonly string[]): string {
  const meant = closest(profile, names);
  if (meant !== undefined) return `did you mean ${shown(meant)}?`;
  const presets: readonly string[] = budgets.entries.preset.wrapped.options;
  return presets.includes(profile)
    ? `for the preset write budgets: {preset: ${profile}}`
    : 'add it to profiles or remove the key';
}

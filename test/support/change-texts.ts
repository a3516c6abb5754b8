import { readFileSync } from 'node:fs';
import { fixture } from './recordings.ts';

/** A recording of the fixtures in which texts are changed, each by itself; `key` names it, also in a list. */
export function changedRecording(name: string, change: (text: string, key: string) => string): string {
  const lines = readFileSync(fixture(name), 'utf8').trimEnd().split('\n');
  return lines.map((line) => `${JSON.stringify(changed(JSON.parse(line), change))}\n`).join('');
}

function changed(value: unknown, change: (text: string, key: string) => string, key = ''): unknown {
  if (typeof value === 'string') return change(value, key);
  if (Array.isArray(value)) return value.map((item) => changed(item, change, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, changed(item, change, name)]));
}

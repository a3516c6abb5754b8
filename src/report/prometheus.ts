import { printable } from './shown.ts';

/** One figure of a family: what is put to the family's name (`_sum`), labels, value. */
export interface Sample {
  readonly suffix?: string;
  readonly labels: Readonly<Record<string, string>>;
  /** null: there is none, and no line for it. */
  readonly value: number | null;
}

/** A metric as Prometheus sees it. */
export interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'summary';
  readonly help: string;
}

/** A family in the text format of Prometheus (0.0.4); nothing when it has no samples. */
export function familyText({ name, type, help }: Family, samples: readonly Sample[]): string {
  const lines = samples.flatMap(({ suffix = '', labels, value }) =>
    value === null ? [] : [`${name}${suffix}{${labelText(labels)}} ${value}`],
  );
  return lines.length === 0 ? '' : [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
}

function labelText(labels: Sample['labels']): string {
  return Object.entries(labels)
    .map(([label, value]) => `${label}="${escaped(value)}"`)
    .join(',');
}

/** A backslash, a quotation mark and a line end would end the value early; other controls could steer a terminal. */
function escaped(value: string): string {
  return printable(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

import type { SetupFinding } from '../doctor/check.ts';
import type { Diagnosis } from '../doctor/diagnose.ts';
import type { Outcome } from '../doctor/run-checks.ts';
import type { Surroundings } from '../doctor/surroundings.ts';
import { duration } from './figures.ts';
import { hangingIndent } from './layout.ts';
import { onOneLine } from './printable.ts';
import type { Style } from './style.ts';

export interface TextLayout {
  readonly style: Style;
  /** Width of the terminal in columns; undefined puts each sentence on one line. */
  readonly columns: number | undefined;
}

export function remarksText(heading: string, remarks: readonly SetupFinding[], layout: TextLayout): string {
  return [layout.style.bold(heading), ...remarks.flatMap((remark) => remarkLines(remark, layout)), ''].join('\n');
}

function remarkLines({ status, subject, text, todo }: SetupFinding, { style, columns }: TextLayout): string[] {
  const mark = { good: style.green('✓'), warning: style.yellow('!'), fault: style.red('✗') }[status];
  const more = todo === undefined ? [] : [style.dim(indentBelow(todo, columns))];
  return [hangingIndent(`  ${mark}`, onOneLine(`${subject}: ${text}`), columns), ...more];
}

function indentBelow(text: string, columns: TextLayout['columns']): string {
  return hangingIndent('     ', onOneLine(text), columns);
}

export function factsText(outcomes: readonly Outcome[], layout: TextLayout): string {
  return [layout.style.bold('Facts'), ...outcomes.flatMap((each) => factLines(each, layout)), ''].join('\n');
}

function factLines({ check, status, seen = '' }: Outcome, { style, columns }: TextLayout): string[] {
  const { name, fact, fallback } = check;
  const line = (mark: string, text: string) => hangingIndent(`  ${mark}`, text, columns);
  switch (status) {
    case 'holds':
      return [line(style.green('✓'), fact)];
    case 'unknown':
      return [line(style.yellow('?'), fact), style.dim(indentBelow(`not known: ${seen}`, columns))];
    case 'fails':
      return [
        line(style.red('✗'), `${fact} (${name})`),
        ...[`seen: ${seen}`, `ctxb: ${fallback}`].map((text) => indentBelow(text, columns)),
      ];
  }
}

export function verdictText({ outcomes, version }: Diagnosis, ms: number): string {
  const count = (status: Outcome['status']) => outcomes.filter((outcome) => outcome.status === status).length;
  const unknown = count('unknown') === 0 ? '' : `, ${count('unknown')} not known`;
  const what = `${count('holds')} of ${outcomes.length} facts hold for claude ${version ?? 'of an unknown version'}`;
  return `${what}${unknown} (${duration(ms)})\n`;
}

export function doctorJson(claude: string, around: Surroundings, diagnosis: Diagnosis): object {
  const { version, fresh, remarks, outcomes } = diagnosis;
  return {
    claude: { path: claude, version: version ?? null },
    context: fresh ?? null,
    surroundings: around.remarks,
    remarks,
    facts: outcomes.map(({ check, status, seen }) => ({
      name: check.name,
      fact: check.fact,
      status,
      vital: check.isVital === true,
      ...(status === 'holds' ? {} : { seen, instead: check.fallback }),
    })),
  };
}

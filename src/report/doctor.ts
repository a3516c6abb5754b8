import type { Remark } from '../doctor/check.ts';
import type { Diagnosis } from '../doctor/diagnose.ts';
import type { Outcome } from '../doctor/run-checks.ts';
import type { Surroundings } from '../doctor/surroundings/look-around.ts';
import { duration } from './figures.ts';
import { wrap } from './layout.ts';
import { onOneLine } from './shown.ts';
import type { Glyphs, Style } from './style.ts';

export interface Sheet {
  readonly marks: Glyphs['marks'];
  readonly style: Style;
  /** Columns of the terminal; undefined: no limit, each sentence is a line. */
  readonly columns: number | undefined;
}

/** A heading and each remark, with what to do about it. */
export function remarksText(heading: string, remarks: readonly Remark[], sheet: Sheet): string {
  return [sheet.style.bold(heading), ...remarks.flatMap((remark) => remarkLines(remark, sheet)), ''].join('\n');
}

function remarkLines({ status, subject, text, todo }: Remark, sheet: Sheet): string[] {
  const { marks, style } = sheet;
  const mark = { good: style.green(marks.yes), warning: style.yellow(marks.but), fault: style.red(marks.no) }[status];
  const more = todo === undefined ? [] : below(todo, sheet).map(style.dim);
  return [...marked(mark, onOneLine(`${subject}: ${text}`), sheet), ...more];
}

/** A sentence after its mark. */
function marked(mark: string, text: string, { marks, columns }: Sheet): string[] {
  const indent = ' '.repeat('  '.length + marks.yes.length + ' '.length);
  return folded(text, indent.length, columns).map((line, at) => (at === 0 ? `  ${mark} ${line}` : indent + line));
}

function below(text: string, { columns }: Sheet): string[] {
  return folded(onOneLine(text), 6, columns).map((line) => `      ${line}`);
}

function folded(text: string, indent: number, columns = Number.POSITIVE_INFINITY): string[] {
  return wrap(text, columns - indent);
}

/** The facts; for a failed one, the observation and what ctxb does without it. */
export function factsText(outcomes: readonly Outcome[], sheet: Sheet): string {
  return [sheet.style.bold('Facts'), ...outcomes.flatMap((each) => factLines(each, sheet)), ''].join('\n');
}

function factLines({ check, status, seen = '' }: Outcome, sheet: Sheet): string[] {
  const { marks, style } = sheet;
  switch (status) {
    case 'holds':
      return marked(style.green(marks.yes), check.fact, sheet);
    case 'unknown': {
      const lines = marked(style.yellow(marks.unknown), check.fact, sheet);
      return [...lines, ...below(`not known: ${seen}`, sheet).map(style.dim)];
    }
    case 'fails': {
      const lines = marked(style.red(marks.no), `${check.fact} (${check.name})`, sheet);
      return [...lines, ...below(`seen: ${seen}`, sheet), ...below(`ctxb: ${check.instead}`, sheet)];
    }
  }
}

/** The last line. */
export function verdictText({ outcomes, version }: Diagnosis, ms: number): string {
  const count = (status: Outcome['status']) => outcomes.filter((outcome) => outcome.status === status).length;
  const unknown = count('unknown') === 0 ? '' : `, ${count('unknown')} not known`;
  const what = `${count('holds')} of ${outcomes.length} facts hold for claude ${version ?? 'of an unknown version'}`;
  return `${what}${unknown} (${duration(ms)})\n`;
}

/** All that `ctxb doctor` has found out. */
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
      vital: check.vital === true,
      ...(status === 'holds' ? {} : { seen, instead: check.instead }),
    })),
  };
}

import type { Diagnosis } from '../doctor/diagnose.ts';
import type { Remark } from '../doctor/remark.ts';
import type { Outcome } from '../doctor/run-checks.ts';
import type { Surroundings } from '../doctor/surroundings/look-around.ts';
import { duration } from './figures.ts';
import { wrap } from './layout.ts';
import { onOneLine } from './shown.ts';
import type { Style } from './style.ts';

/** What stands before a line: it is so, it is not, it is so but, it is not known. */
export interface Marks {
  readonly yes: string;
  readonly no: string;
  readonly but: string;
  readonly unknown: string;
}

const UNICODE: Marks = { yes: '✓', no: '✗', but: '!', unknown: '?' };
const ASCII: Marks = { yes: 'ok', no: 'NO', but: '! ', unknown: '? ' };

/** By the locale, as for other signs outside of ASCII. */
export function marksFor(isUnicode: boolean): Marks {
  return isUnicode ? UNICODE : ASCII;
}

/** What the report is written on. */
export interface Sheet {
  readonly marks: Marks;
  readonly style: Style;
  /** Columns of the terminal; undefined: none, each sentence is a line. */
  readonly columns: number | undefined;
}

/** A heading and each remark, with what to do about it. */
export function remarksText(heading: string, remarks: readonly Remark[], sheet: Sheet): string {
  return [sheet.style.bold(heading), ...remarks.flatMap((remark) => remarkLines(remark, sheet)), ''].join('\n');
}

function remarkLines({ status, subject, text, todo }: Remark, sheet: Sheet): string[] {
  const { marks, style } = sheet;
  const mark = { good: style.green(marks.yes), warning: style.yellow(marks.but), fault: style.red(marks.no) }[status];
  const lines = marked(mark, onOneLine(`${subject}: ${text}`), sheet);
  return todo === undefined ? lines : [...lines, ...below(onOneLine(todo), sheet).map(style.dim)];
}

/** A sentence behind its mark. */
function marked(mark: string, text: string, { marks, columns }: Sheet): string[] {
  const indent = ' '.repeat('  '.length + marks.yes.length + ' '.length);
  const lines = folded(text, indent.length, columns);
  return lines.map((line, at) => (at === 0 ? `  ${mark} ${line}` : indent + line));
}

/** What is said about the sentence above. */
function below(text: string, { columns }: Sheet): string[] {
  return folded(text, 6, columns).map((line) => `      ${line}`);
}

function folded(text: string, indent: number, columns = Number.POSITIVE_INFINITY): string[] {
  return wrap(text, columns - indent);
}

/** The facts by section; for one that does not hold, what was seen and what ctxb does instead. */
export function factsText(outcomes: readonly Outcome[], sheet: Sheet): string {
  const sections = [...new Set(outcomes.map(({ check }) => check.section))];
  return sections
    .map((section) => {
      const lines = outcomes.filter(({ check }) => check.section === section).flatMap((each) => factLines(each, sheet));
      return [sheet.style.bold(section), ...lines, ''].join('\n');
    })
    .join('\n');
}

function factLines({ check, status, seen = '' }: Outcome, sheet: Sheet): string[] {
  const { marks, style } = sheet;
  const mark = { holds: style.green(marks.yes), fails: style.red(marks.no), unknown: style.yellow(marks.unknown) }[
    status
  ];
  const lines = marked(mark, status === 'fails' ? `${check.fact} (${check.name})` : check.fact, sheet);
  if (status === 'holds') return lines;
  if (status === 'unknown') return [...lines, ...below(`not known: ${onOneLine(seen)}`, sheet).map(style.dim)];
  return [...lines, ...below(`seen: ${onOneLine(seen)}`, sheet), ...below(`ctxb: ${check.instead}`, sheet)];
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
      section: check.section,
      fact: check.fact,
      status,
      vital: check.vital === true,
      ...(status === 'holds' ? {} : { seen, instead: check.instead }),
    })),
  };
}

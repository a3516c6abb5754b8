import type { Diagnosis } from '../doctor/diagnose.ts';
import type { Remark } from '../doctor/remark.ts';
import type { Outcome } from '../doctor/run-checks.ts';
import { duration } from './figures.ts';
import { onOneLine, type Style } from './style.ts';

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

/** A heading and a line for each remark, with what to do about it. */
export function remarksText(heading: string, remarks: readonly Remark[], marks: Marks, style: Style): string {
  return [style.bold(heading), ...remarks.flatMap((remark) => remarkLines(remark, marks, style)), ''].join('\n');
}

function remarkLines({ status, subject, text, todo }: Remark, marks: Marks, style: Style): string[] {
  const mark = { good: style.green(marks.yes), warning: style.yellow(marks.but), fault: style.red(marks.no) }[status];
  const lines = [`  ${mark} ${onOneLine(`${subject}: ${text}`)}`];
  return todo === undefined ? lines : [...lines, `      ${style.dim(onOneLine(todo))}`];
}

/** The facts by section; for one that does not hold, what was seen and what ctxb does instead. */
export function factsText(outcomes: readonly Outcome[], marks: Marks, style: Style): string {
  const sections = [...new Set(outcomes.map(({ check }) => check.section))];
  return sections
    .map((section) => {
      const lines = outcomes
        .filter(({ check }) => check.section === section)
        .flatMap((each) => factLines(each, marks, style));
      return [style.bold(section), ...lines, ''].join('\n');
    })
    .join('\n');
}

function factLines({ check, status, seen = '' }: Outcome, marks: Marks, style: Style): string[] {
  const mark = { holds: style.green(marks.yes), fails: style.red(marks.no), untried: style.yellow(marks.unknown) }[
    status
  ];
  const line = `  ${mark} ${check.fact}`;
  if (status === 'holds') return [line];
  if (status === 'untried') return [line, `      ${style.dim(`not tried: ${onOneLine(seen)}`)}`];
  return [`${line} (${check.name})`, `      seen: ${onOneLine(seen)}`, `      ctxb: ${check.instead}`];
}

/** The last line. */
export function verdictText({ outcomes, version }: Diagnosis, ms: number): string {
  const count = (status: Outcome['status']) => outcomes.filter((outcome) => outcome.status === status).length;
  const untried = count('untried') === 0 ? '' : `, ${count('untried')} not tried`;
  const what = `${count('holds')} of ${outcomes.length} facts hold for claude ${version ?? 'of an unknown version'}`;
  return `${what}${untried} (${duration(ms)})\n`;
}

import { counted, percent, tokens } from '../../report/figures.ts';
import { aligned } from '../../report/layout.ts';
import { onOneLine } from '../../report/shown.ts';
import type { Style } from '../../report/style.ts';
import { type FlowExplained, type LevelFiles, type StepExplained, sourceText } from '../explain.ts';
import { BUDGET_FIELDS } from '../pack/budgets.ts';

export function flowExplainText({ flow, profile, files, run, steps }: FlowExplained, style: Style): string {
  const from = run === null ? 'nothing has run yet' : `outputs of run ${run}`;
  const facts = [counted(steps.length, 'step'), ...(profile === null ? [] : [`profile ${onOneLine(profile)}`]), from];
  const heading = `${style.bold(flow)}: ${facts.join(', ')}`;
  return `${[heading, ...steps.map((step) => stepText(step, files, style))].join('\n\n')}\n`;
}

function stepText(step: StepExplained, files: LevelFiles, style: Style): string {
  const agent = step.agent === null ? '' : ` ${style.dim(`(${onOneLine(step.agent)})`)}`;
  const lines = [
    ...budgetLines(step, files, style),
    ...curatorLine(step, files),
    ...step.budget_warnings.map(({ message }) => style.yellow(`! ${message}`)),
    packLine(step, style),
    ...step.receipt.warnings.map((warning) => style.red(`! ${warning}`)),
    ...nameLines(step, style),
    ...heldBack(step, style),
  ];
  return [`${style.bold(style.cyan(step.step))}${agent}`, ...lines.map((line) => `  ${line}`)].join('\n');
}

function budgetLines({ budgets }: StepExplained, files: LevelFiles, style: Style): string[] {
  const lines = aligned(BUDGET_FIELDS.map((field) => [field, tokens(budgets[field].value)]));
  return BUDGET_FIELDS.map((field, index) => {
    const source = onOneLine(sourceText(budgets[field].source, files));
    return `${lines[index]}  ${source === 'default' ? style.dim(source) : source}`;
  });
}

function curatorLine({ curator: { enabled, model, source } }: StepExplained, files: LevelFiles): string[] {
  if (source === 'default') return [];
  return [`curator: ${enabled ? onOneLine(model) : 'off'}  ${onOneLine(sourceText(source, files))}`];
}

function packLine({ receipt }: StepExplained, { yellow, red }: Style): string {
  const { chars_used, budget_chars, truncated } = receipt.context_truncation;
  const size = `${tokens(chars_used)} of ${tokens(budget_chars)} characters (${percent(chars_used / budget_chars)})`;
  const paint = receipt.over_budget_chars > 0 ? red : truncated ? yellow : (text: string) => text;
  return `${paint(`pack: ${size}`)}, of them ${tokens(receipt.whole_chars)} of notes and task`;
}

/** Steps that are whole, or have no output yet, and files, by name. */
function nameLines({ receipt, without_output }: StepExplained, { green, dim }: Style): string[] {
  const waiting = new Set(without_output);
  const whole = receipt.items.filter(({ step, outcome }) => outcome === 'included' && !waiting.has(step));
  const steps = whole.map(({ step }) => step);
  const files = receipt.artifacts.filter(({ outcome }) => outcome === 'included').map(({ path }) => path);
  return [
    ...named(green('whole'), steps),
    ...named(dim('no output yet'), without_output),
    ...named(green('files'), files),
  ];
}

function named(what: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${what}: ${names.map(onOneLine).join(', ')}`];
}

function heldBack({ receipt, without_output }: StepExplained, { yellow, red }: Style): string[] {
  const waiting = new Set(without_output);
  const items = receipt.items.filter(({ step, outcome }) => outcome !== 'included' && !waiting.has(step));
  const rows = items.map(({ outcome, step, tier, shown_chars, chars }) => [
    `${outcome.padEnd('omitted'.length)}  ${step}`,
    tier,
    `${tokens(shown_chars)} of ${tokens(chars)}`,
  ]);
  const lines = aligned(rows);
  const painted = items.map(({ outcome, reason }, at) => (outcome === 'cut' ? yellow : red)(`${lines[at]}  ${reason}`));
  const files = receipt.artifacts.filter(({ outcome }) => outcome === 'omitted').map(({ path }) => path);
  return [...painted, ...named(red('files omitted'), files)];
}

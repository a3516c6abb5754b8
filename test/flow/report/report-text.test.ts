import { expect, it } from 'vitest';
import { flowReportText, reportRun, type StepFigures } from '../../../src/flow/report/run-report.ts';
import { PLAIN, type Style } from '../../../src/report/style.ts';
import { figures } from '../../support/flow-run.ts';

const TAGS = Object.fromEntries(
  Object.keys(PLAIN).map((name) => [name, (text: string) => `<${name}>${text}</${name}>`]),
) as unknown as Style;

function stepFigures(changes: Partial<StepFigures> = {}): StepFigures {
  return {
    step: 'plan',
    included: 2,
    summary: 0,
    cut: 1,
    omitted: 0,
    pack_chars: 12_345,
    budget_chars: 200_000,
    truncated: false,
    curation: null,
    measured: figures(),
    other_attempts_usd: 0,
    ...changes,
  };
}

const total = {
  steps: 2,
  included: 4,
  summary: 0,
  cut: 2,
  omitted: 0,
  calls: 3,
  cost_usd: 0.25,
  other_attempts_usd: 0,
  curator_cost_usd: 0,
  duration_ms: 4_000,
};
const REPORT = {
  version: 1 as const,
  run: 'r2',
  flow: 'shared-lists',
  steps: [stepFigures(), stepFigures({ step: 'build', measured: null })],
  total,
};

it('prints a row for each step and one with the totals', () => {
  expect(flowReportText(REPORT, PLAIN)).toBe(
    [
      'shared-lists, run r2',
      'step   whole  summed up  cut  omitted  characters   budget  first tokens  most tokens  calls   cost   took  exit  curator',
      'plan       2          0    1        0      12,345  200,000        20,000       40,000      3  $0.25  4.0 s     0        –',
      'build      2          0    1        0      12,345  200,000             –            –      –      –      –     –        –',
      '',
      '2 steps: 3 calls, $0.25, 4.0 s',
      '',
    ].join('\n'),
  );
});

it.each([
  { title: 'a step that failed', step: stepFigures({ measured: figures({ exit_code: 3 }) }), line: '<red>plan ' },
  { title: 'a pack that was truncated', step: stepFigures({ truncated: true }), line: '<yellow>plan ' },
  { title: 'any other', step: stepFigures(), line: '\nplan ' },
])('$title has its color', ({ step, line }) => {
  expect(flowReportText({ ...REPORT, steps: [step] }, TAGS)).toContain(line);
});

it('names the reason of a step that failed', () => {
  const step = stepFigures({ measured: figures({ exit_code: 1, error: 'it has not made\ndocs/a.md' }) });
  expect(flowReportText({ ...REPORT, steps: [step] }, PLAIN)).toContain(
    '  1        –\n! plan: it has not made docs/a.md\n',
  );
});

it('reports a curator that failed, with its cost', () => {
  const curation = { cost_usd: 0.02, duration_ms: 900, fault: 'no answer after 60 s', summed_up: [] };
  const text = flowReportText(
    { ...REPORT, steps: [stepFigures({ curation })], total: { ...total, curator_cost_usd: 0.02 } },
    PLAIN,
  );
  expect(text).toContain('  0    $0.02\n! the curator of plan: no answer after 60 s\n');
  expect(text).toContain('$0.25 and $0.02 for curators, 4.0 s\n');
});

it('reports the cost of killed or repeated attempts', () => {
  const text = flowReportText({ ...REPORT, total: { ...total, other_attempts_usd: 0.12 } }, PLAIN);
  expect(text).toContain('$0.25 and $0.12 for killed or repeated attempts, 4.0 s\n');
});

it('a run without receipts', () => {
  const text = flowReportText(reportRun({ id: 'r1', receipts: () => [], otherAttemptsUsd: () => 0 }), PLAIN);
  expect(text).toBe('run r1: no step has left a receipt\n');
});

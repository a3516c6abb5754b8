import { parseArgs } from 'node:util';
import { makeJob } from './job.ts';
import { keep, type Outcome, play, type Setting, type Variant } from './play.ts';

const VARIANTS: readonly Variant[] = [
  { name: 'claude alone' },
  { name: 'its own variable', env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '160000' } },
  { name: 'ctxb run', ctxb: [] },
  { name: 'ctxb --strategy handoff', ctxb: ['--strategy', 'handoff'] },
  { name: 'ctxb --strategy auto', ctxb: ['--strategy', 'auto'] },
  { name: 'ctxb --tool-budgets off', ctxb: ['--tool-budgets', 'off'] },
  { name: 'ctxb --no-memory', ctxb: ['--no-memory'] },
];

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    tasks: { type: 'string', default: '12' },
    window: { type: 'string', default: '200000' },
    'one-prompt': { type: 'boolean', default: false },
    only: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
});

const setting: Setting = {
  job: makeJob(Number(values.seed), Number(values.tasks)),
  window: values.window === '1000000' ? 1_000_000 : 200_000,
  onePrompt: values['one-prompt'],
};

const rows: string[][] = [
  [
    'variant',
    'calls',
    'peak',
    'cost',
    'dead ends repeated',
    'constraints violated',
    'read again',
    'summaries',
    'handoffs',
    'failed',
    'given up',
    'seconds',
  ],
];
for (const variant of VARIANTS.filter(({ name }) => values.only === undefined || name.includes(values.only))) {
  const outcome = await play(setting, variant);
  rows.push(rowOf(variant.name, outcome));
  console.log(rows.at(-1)?.join(' | '));
  if (values.keep) console.error(`kept: ${keep(variant.name, outcome)}`);
}

function rowOf(name: string, outcome: Outcome): string[] {
  const { bill, faults, summaries, handoffs, failedTurns, unanswered, exitCode, wallSeconds } = outcome;
  return [
    name,
    String(bill.calls),
    `${Math.round(bill.peak / 1000)}k`,
    `$${bill.usd.toFixed(2)}`,
    `${faults.deadEndsRepeated} of ${faults.deadEndsMet}`,
    `${faults.constraintsViolated} of ${faults.constraintsMet}`,
    String(faults.filesReadAgain),
    String(summaries),
    String(handoffs),
    `${failedTurns + unanswered}${exitCode === 0 ? '' : ` (exit ${exitCode})`}`,
    String(faults.stepsGivenUp),
    wallSeconds.toFixed(1),
  ];
}

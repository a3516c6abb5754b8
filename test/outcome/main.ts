import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { NATIVE_RESERVE_TOKENS } from '../../src/core/governor/policy.ts';
import { injectedIn } from './injected.ts';
import { makeJob } from './job.ts';
import { type Bar, type Bars, costPicture } from './picture.ts';
import { keep, type Outcome, play, type Setting, type Variant } from './play.ts';
import type { RealApi } from './relay.ts';

const VARIANTS: readonly Variant[] = [
  { name: 'claude alone' },
  { name: 'its own variable, 157k', env: triggerAt(157_000) },
  { name: 'its own variable, 120k', env: triggerAt(120_000) },
  { name: 'ctxb run', ctxb: [] },
  { name: 'ctxb run --compaction summary', ctxb: ['--compaction', 'summary'] },
  { name: 'ctxb run --strategy handoff', ctxb: ['--strategy', 'handoff'] },
  { name: 'ctxb run --strategy auto', ctxb: ['--strategy', 'auto'] },
  { name: 'ctxb run --tool-budgets off', ctxb: ['--tool-budgets', 'off'] },
  { name: 'ctxb run --no-memory', ctxb: ['--no-memory'] },
];

const COLUMNS: readonly (readonly [heading: string, figure: (outcome: Outcome) => string])[] = [
  ['calls', ({ bill }) => String(bill.calls)],
  ['peak', ({ bill }) => `${Math.round(bill.peak / 1000)}k`],
  ['cost', ({ bill }) => `$${bill.usd.toFixed(2)}`],
  ['dead ends repeated', ({ faults }) => `${faults.deadEndsRepeated} of ${faults.deadEndsMet}`],
  ['constraints violated', ({ faults }) => `${faults.constraintsViolated} of ${faults.constraintsMet}`],
  ['files read again', ({ faults }) => String(faults.filesReadAgain)],
  ['steps given up', ({ faults }) => String(faults.stepsGivenUp)],
  ['failed turns', ({ failedTurns, unanswered }) => String(failedTurns + unanswered)],
  ['summaries, exact, handoffs', ({ summaries, exact, handoffs }) => `${summaries}, ${exact}, ${handoffs}`],
  ['added', (outcome) => percent(injectedIn(outcome).added)],
  ['kept in lines', (outcome) => percent(injectedIn(outcome).kept)],
  ['s', ({ wallSeconds }) => wallSeconds.toFixed(1)],
];

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

const HELP = `Works through a made-up job with the real claude, with and without ctxb, and prints what it cost: offline, against a
model that follows a script but knows nothing except what stands in the request.

  --seed N        another job (default: 1); repeat it for several
  --tasks N       its length (default: 12)
  --window N      200000 or 1000000; repeat it for both (default: 200000)
  --one-prompt    all tasks in one prompt, so one long turn; else a prompt a task
  --only WORDS    the variant of this name, or those whose names hold these words; repeat it for several
  --real          ask the API of ANTHROPIC_API_KEY (and ANTHROPIC_BASE_URL), which costs money
  --max-cost USD  with --real: end when all variants together have cost this
  --svg FILE      also draw what each variant cost
  --flags=FLAGS   also ctxb run with these flags; repeat it for several
  --plugin DIR    also claude alone with this plugin, where it compacts at 120k, 90k and 67k
  --injected      also print what ctxb added to the conversation
  --keep          keep streams and requests in a temporary folder
`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', multiple: true, default: ['1'] },
    tasks: { type: 'string', default: '12' },
    window: { type: 'string', multiple: true, default: ['200000'] },
    'one-prompt': { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [''] },
    real: { type: 'boolean', default: false },
    'max-cost': { type: 'string' },
    svg: { type: 'string' },
    plugin: { type: 'string' },
    flags: { type: 'string', multiple: true, default: [] },
    injected: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const api = values.real && !values.help ? realApi() : undefined;
if (values.help) process.stdout.write(HELP);
else await printTables();

function realApi(): RealApi {
  const { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url = 'https://api.anthropic.com' } = process.env;
  const purse = Number(values['max-cost']);
  if (!(purse > 0)) throw new Error('--real needs --max-cost with the US dollars that it may cost');
  if (key === undefined) throw new Error('--real needs ANTHROPIC_API_KEY');
  return { url: url.replace(/\/$/, ''), key, purse };
}

async function printTables(): Promise<void> {
  const jobs: Bars[] = [];
  for (const window of values.window) {
    for (const seed of values.seed) jobs.push(await printTable(Number(seed), Number(window)));
  }
  if (values.svg !== undefined) writeFileSync(values.svg, costPicture(jobs));
}

async function printTable(seed: number, window: number): Promise<Bars> {
  if (window !== 200_000 && window !== 1_000_000) throw new Error('--window is 200000 or 1000000');
  const tasks = Number(values.tasks);
  const setting: Setting = { job: makeJob(seed, tasks), window, onePrompt: values['one-prompt'] };
  const what = setting.onePrompt ? `one prompt with ${tasks} tasks` : `${tasks} prompts`;
  const title = `Seed ${seed}, ${what}, a window of ${window.toLocaleString('en')} tokens`;
  console.log(`\n${title}:\n`);
  console.log(line(['variant', ...COLUMNS.map(([heading]) => heading)]));
  console.log(line(['---', ...COLUMNS.map(() => '--:')]));
  const bars: Bar[] = [];
  for (const variant of [...chosen([...VARIANTS, ...besides(values.plugin)]), ...values.flags.map(withFlags)]) {
    if (api !== undefined && api.purse <= 0) break;
    const outcome = await play(setting, variant, api);
    console.log(line([variant.name, ...COLUMNS.map(([, figure]) => figure(outcome))]));
    if (values.injected) console.log(injectedIn(outcome).texts.join('\n---\n'));
    if (values.keep) console.error(`kept: ${keep(variant.name, outcome)}`);
    bars.push({ name: variant.name, usd: outcome.bill.usd, faults: faultsOf(outcome) });
  }
  return { title, bars };
}

function chosen(variants: readonly Variant[]): Variant[] {
  const isNamed = (words: string) => variants.some(({ name }) => name === words);
  return variants.filter(({ name }) =>
    values.only.some((words) => (isNamed(words) ? name === words : name.includes(words))),
  );
}

function withFlags(flags: string): Variant {
  return { name: `ctxb run ${flags}`, ctxb: flags.split(' ') };
}

function faultsOf({ faults, failedTurns, unanswered }: Outcome): number {
  return faults.deadEndsRepeated + faults.constraintsViolated + faults.stepsGivenUp + failedTurns + unanswered;
}

/** @param at tokens */
function triggerAt(at: number): Record<string, string> {
  return { CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(at + NATIVE_RESERVE_TOKENS) };
}

function besides(plugin: string | undefined): Variant[] {
  if (plugin === undefined) return [];
  return [120, 90, 67].map((at) => ({
    name: `claude alone with the plugin, ${at}k`,
    env: triggerAt(at * 1000),
    claude: ['--plugin-dir', resolve(plugin)],
  }));
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

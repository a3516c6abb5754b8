import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { NATIVE_RESERVE_TOKENS } from '../../src/core/governor/policy.ts';
import { injectedIn } from './injected.ts';
import { type Bars, costPicture } from './picture.ts';
import { keep, type Outcome, play, type Setting, type Variant } from './play.ts';
import { costBar, line, type Pair, type Result, rangeBars, rangeTable, usd } from './range.ts';
import { printRecorded } from './recorded-costs.ts';
import type { RealApi } from './relay.ts';
import { jobOf, SHAPES, type Shape } from './shapes.ts';

const VARIANTS: readonly Variant[] = [
  { name: 'claude alone' },
  { name: 'its own variable, 157k', env: triggerAt(157_000) },
  { name: 'its own variable, 120k', env: triggerAt(120_000) },
  { name: 'ctxb run', ctxb: [] },
  { name: 'ctxb run --compaction summary', ctxb: ['--compaction', 'summary'] },
  { name: 'ctxb run --strategy handoff', ctxb: ['--strategy', 'handoff'] },
  { name: 'ctxb run --tool-budgets off', ctxb: ['--tool-budgets', 'off'] },
  { name: 'ctxb run --no-memory', ctxb: ['--no-memory'] },
];

/** The newest claude's default model has 1,000,000 tokens. */
const MODELS = { 200000: 'claude-sonnet-4-6', 1000000: undefined } as const;

/** @param alone the same job with claude alone; undefined: it was not played */
type Figure = (outcome: Outcome, alone: Outcome | undefined) => string;

const COLUMNS: readonly (readonly [heading: string, figure: Figure])[] = [
  ['calls', ({ bill }) => String(bill.calls)],
  ['peak', ({ bill }) => `${Math.round(bill.peak / 1000)}k`],
  ['cost', ({ bill }) => usd(bill.usd)],
  ['× alone', ({ bill }, alone) => (alone === undefined ? '' : (bill.usd / alone.bill.usd).toFixed(2))],
  ['saved: told, measured', savings],
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

function savings(outcome: Outcome, alone: Outcome | undefined): string {
  const told = toldSaving(outcome.stderr);
  const measured = alone === undefined || alone === outcome ? undefined : alone.bill.usd - outcome.bill.usd;
  return [told, measured].map((saving) => (saving === undefined ? '–' : usd(saving))).join(', ');
}

/** What the last line of the run says that it saved beside claude alone, in US dollars; below 0: it cost more. 0: as much. */
function toldSaving(stderr: string): number | undefined {
  if (stderr.includes('about as much as claude alone')) return 0;
  const [, amount, than] = [...stderr.matchAll(/about \$([\d.,]+) (less|more) than claude alone/g)].at(-1) ?? [];
  if (amount === undefined) return undefined;
  return (than === 'more' ? -1 : 1) * Number(amount.replaceAll(',', '').replace(/\.$/, ''));
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

const HELP = `Works through a made-up job with the real claude, with and without ctxb, and prints what it cost: offline, against a
model that follows a script but knows nothing except what stands in the request.

  --seed N        another job (default: 1); repeat it for several
  --tasks N       its length (default: 12)
  --window N      200000 (Sonnet) or 1000000 (claude's default model); repeat it for both (default: 200000)
  --model NAME    another model than that of the window
  --shape NAME    a job of another shape, or all; repeat it for several (default: move-on): ${Object.keys(SHAPES).join(', ')}
  --one-prompt    all tasks in one prompt, so one long turn; else a prompt a task
  --prompts, --prompt-tokens, --edits, --files, --tokens, --round, --region, --pictures, --commands, --pause, --cache,
  --fresh         change a figure of the shapes: the length of a prompt and its changes, the files that each of them
                  needs and their size, how many files they go round, the tokens needed of each, pictures, commands,
                  minutes between prompts, a cache that is cold or lives for an hour, files of its own for each prompt
  --recorded PATH what recorded sessions would cost instead, without claude: a log, a folder of logs, or sample for those
                  of npm run accuracy; repeat it for several
  --only WORDS    the variant of this name, or those whose names hold these words; repeat it for several
  --real          ask the API of ANTHROPIC_API_KEY (and ANTHROPIC_BASE_URL), which costs money
  --max-cost USD  with --real: end when all variants together have cost this
  --svg FILE      also draw what each variant cost, or of several jobs what ctxb run cost beside claude alone
  --flags=FLAGS   also ctxb run with these flags; repeat it for several
  --plugin DIR    also claude alone with this plugin, where it compacts at 120k, 90k and 67k
  --injected      also print what ctxb added to the conversation
  --keep          keep streams and requests in a temporary folder
`;

const FIGURES = {
  prompts: { type: 'string' },
  'prompt-tokens': { type: 'string' },
  edits: { type: 'string' },
  files: { type: 'string' },
  tokens: { type: 'string' },
  round: { type: 'string' },
  region: { type: 'string' },
  pictures: { type: 'string' },
  commands: { type: 'string' },
  pause: { type: 'string' },
  cache: { type: 'string' },
  fresh: { type: 'boolean' },
} as const satisfies Record<keyof Shape, { type: 'string' | 'boolean' }>;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', multiple: true, default: ['1'] },
    model: { type: 'string' },
    shape: { type: 'string', multiple: true, default: ['move-on'] },
    ...FIGURES,
    tasks: { type: 'string', default: '12' },
    window: { type: 'string', multiple: true, default: ['200000'] },
    'one-prompt': { type: 'boolean', default: false },
    recorded: { type: 'string', multiple: true },
    only: { type: 'string', multiple: true },
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
else if (values.recorded !== undefined) printRecorded(values.recorded);
else await printTables();

function realApi(): RealApi {
  const { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url = 'https://api.anthropic.com' } = process.env;
  const purse = Number(values['max-cost']);
  if (!(purse > 0)) throw new Error('--real needs --max-cost with the US dollars that it may cost');
  if (key === undefined) throw new Error('--real needs ANTHROPIC_API_KEY');
  return { url: url.replace(/\/$/, ''), key, purse };
}

/** A job in a window. */
interface Cell {
  readonly title: string;
  readonly shape: string;
  readonly setting: Setting;
}

async function printTables(): Promise<void> {
  const pairs: Pair[] = [];
  const jobs: Bars[] = [];
  console.log(line(['job', 'variant', ...COLUMNS.map(([heading]) => heading)]));
  console.log(line(['---', '---', ...COLUMNS.map(() => '--:')]));
  for (const cell of cells()) {
    const results = await printRows(cell);
    const [alone, ctxb] = ['claude alone', 'ctxb run'].map((name) => results.get(name));
    if (alone !== undefined && ctxb !== undefined) pairs.push({ ...cell, window: cell.setting.window, alone, ctxb });
    jobs.push({ title: cell.title, bars: [...results].map(([name, result]) => costBar(name, result)) });
  }
  const isRange = pairs.length > 1;
  if (isRange) console.log(`\n${rangeTable(pairs)}`);
  if (values.svg !== undefined) writeFileSync(values.svg, costPicture(isRange ? rangeBars(pairs) : jobs));
}

function cells(): Cell[] {
  const shapes = values.shape.includes('all') ? Object.keys(SHAPES) : values.shape;
  return shapes.flatMap((name) =>
    values.window.flatMap((window) => values.seed.map((seed) => cellOf(name, Number(window), Number(seed)))),
  );
}

function cellOf(name: string, window: number, seed: number): Cell {
  if (!(name in SHAPES)) throw new Error(`--shape is one of ${Object.keys(SHAPES).join(', ')}`);
  if (window !== 200_000 && window !== 1_000_000) throw new Error('--window is 200000 or 1000000');
  const shape = SHAPES[name] && { ...SHAPES[name], ...givenFigures() };
  const job = jobOf(shape, seed, Number(values.tasks));
  const onePrompt = values['one-prompt'];
  const model = values.model ?? MODELS[window];
  const prompts = onePrompt ? 'one prompt' : `${job.tasks.length} prompts`;
  const setting = { job, window, model, onePrompt, pauseMs: (shape?.pause ?? 0) * 60_000 };
  return {
    shape: name,
    title: `${name}, ${prompts}, ${values.model ?? ''} ${window / 1000}k, seed ${seed}`.replaceAll(/ +/g, ' '),
    setting: shape?.cache === undefined ? setting : { ...setting, cache: shape.cache },
  };
}

function givenFigures(): Partial<Shape> {
  const given = Object.keys(FIGURES).map((key) => [key, values[key as keyof Shape]] as const);
  return Object.fromEntries(
    given
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value]),
  );
}

async function printRows({ title, setting }: Cell): Promise<ReadonlyMap<string, Result>> {
  const results = new Map<string, Result>();
  let alone: Outcome | undefined;
  for (const variant of [...chosen([...VARIANTS, ...besides(values.plugin)]), ...values.flags.map(withFlags)]) {
    if (api !== undefined && api.purse <= 0) break;
    const outcome = await play(setting, variant, api);
    if (variant === VARIANTS[0]) alone = outcome;
    console.log(line([title, variant.name, ...COLUMNS.map(([, figure]) => figure(outcome, alone))]));
    if (values.injected) console.log(injectedIn(outcome).texts.join('\n---\n'));
    if (values.keep) console.error(`kept: ${keep(variant.name, outcome)}`);
    const { bill, stderr } = outcome;
    results.set(variant.name, { usd: bill.usd, faults: faultsOf(outcome), told: toldSaving(stderr) });
  }
  return results;
}

/** Other shapes are played with claude alone and with `ctxb run`. */
function chosen(variants: readonly Variant[]): Variant[] {
  const isUsual = values.shape.every((name) => name === 'move-on');
  const words = values.only ?? (isUsual ? [''] : ['claude alone', 'ctxb run']);
  const isNamed = (word: string) => variants.some(({ name }) => name === word);
  return variants.filter(({ name }) => words.some((word) => (isNamed(word) ? name === word : name.includes(word))));
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

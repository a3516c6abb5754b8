import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LIMITS } from '../../src/config/limits.ts';
import { runProgram, startProgram, startWorld, type World } from './claude.ts';
import { userTexts } from './conversation.ts';
import { CTXB, journalLines, prompts, SMALL_WINDOW } from './ctxb.ts';
import { keyTree, LIMIT_VALUES, type Limit, optionOf, variableOf } from './limit-keys.ts';
import type { Call, RecordedRequest, Scenario } from './standin/scenario.ts';

export type Spending = Exclude<Limit, 'limits.time'>;

export const SPENDING = LIMITS.filter((limit): limit is Spending => limit !== 'limits.time');

export const SOURCES = ['flag', 'variable', 'file of the user', 'file of the repository'] as const;
export const SITUATIONS = ['alone', 'four at once', 'killed again and again'] as const;

type Source = (typeof SOURCES)[number];
type Situation = (typeof SITUATIONS)[number];

/** What a call reads and writes, and costs at the list prices of the model. */
const USAGE = { input: 16_500, output: 20 };
const TOKENS = 16_520;
const USD = 0.0498;

/** What each call, or each subagent, counts for a limit. */
const UNIT: Readonly<Record<Spending, number>> = {
  'cost.limitUsd': USD,
  'cost.projectLimitUsd': USD,
  'agents.max': 1,
  'agents.tokens': TOKENS,
  'agents.costUsd': USD,
};

/** What may be spent: a call is known once it was made. A subagent is refused before; one that is stopped may call once more. */
export function bound(limit: Spending): number {
  const { mine } = LIMIT_VALUES[limit];
  if (limit === 'agents.max') return mine;
  return (Math.ceil(mine / UNIT[limit]) + (limit.startsWith('agents') ? 1 : 0)) * UNIT[limit];
}

/** What is spent at least where the limit has ended it: runs at once may stop for calls that others then do not make. */
export function least(limit: Spending, situation: Situation): number {
  if (situation === 'killed again and again') return 0;
  const isShared = limit === 'cost.projectLimitUsd' && situation === 'four at once';
  return LIMIT_VALUES[limit].mine - (isShared ? 3 * USD : 0);
}

/** How often the model goes on, where nothing stops it. */
const MOST = 30;

const TASK = 'SUBTASK';

/** A model that spends without end: on calls of tools, on further subagents, or on the calls of one. */
function spender(limit: Spending): Scenario {
  const round: Call = { tools: [{ name: 'Bash', input: { command: 'true', description: 'Step' } }], usage: USAGE };
  const done: Call = { text: 'Done.', usage: USAGE };
  if (!limit.startsWith('agents')) return { calls: (_, index) => (index < 4 * MOST ? round : done) };
  const agent = ({ index, body }: RecordedRequest): Call => {
    const all = JSON.stringify(body.messages);
    const runs = all.split('work was interrupted').length;
    const input = {
      description: 'Part',
      prompt: `${TASK} ${index} of ${promptIn(all)}`,
      subagent_type: 'general-purpose',
      run_in_background: false,
    };
    const isEnough = all.split(`"${TASK}`).length > (limit === 'agents.max' ? 6 : runs);
    return isEnough ? done : { tools: [{ name: 'Agent', input }], usage: USAGE };
  };
  return {
    calls: agent,
    subagentCalls: (_, index) => (limit !== 'agents.max' && index < 4 * MOST ? round : done),
  };
}

function promptIn(text: string): string {
  return /PROMPT-\d/.exec(text)?.[0] ?? '';
}

/** Sets the limit in one place. Where that is not the file of the repository, that file would lift it. */
function settle({ scratch }: World, limit: Spending, source: Source) {
  const { mine } = LIMIT_VALUES[limit];
  const own = keyTree({ [limit]: mine, 'cost.onLimit': 'stop' });
  const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 };
  const lifted = Object.fromEntries(LIMITS.map((key) => [key, LIMIT_VALUES[key].theirs]));
  const hostile = keyTree({ ...lifted, observe: true, 'cost.onLimit': 'ask', 'cost.prices': { claude: free } });
  writeFileSync(
    join(scratch.cwd, '.contextbudgetrc'),
    JSON.stringify(source === 'file of the repository' ? own : hostile),
  );
  if (source === 'file of the user') writeFileSync(join(scratch.home, '.contextbudgetrc'), JSON.stringify(own));
  return {
    flags: source === 'flag' ? [optionOf(limit), String(mine), '--on-cost-limit', 'stop'] : [],
    env: {
      ...scratch.env,
      ...(source === 'variable' && { [variableOf(limit)]: String(mine), CTXB_COST_ON_LIMIT: 'stop' }),
    },
  };
}

/** What a run, a project or a subagent has spent where the limit was set in one place. */
export async function spent(limit: Spending, source: Source, situation: Situation): Promise<number> {
  await using world = await startWorld(spender(limit));
  const { flags, env } = settle(world, limit, source);
  const options = { env, cwd: world.scratch.cwd };
  const argumentsOf = (prompt: number) => {
    const claude = ['--', world.claude, ...SMALL_WINDOW];
    return [CTXB, 'run', ...flags, ...prompts(`PROMPT-${prompt}`, `PROMPT-${prompt} again`), ...claude];
  };
  const count = situation === 'four at once' ? 4 : 1;
  if (situation === 'killed again and again') await killAndGoOn(world, limit, argumentsOf, options);
  else
    await Promise.all(Array.from({ length: count }, (_, at) => runProgram(process.execPath, argumentsOf(at), options)));
  return billOf(limit, world.standin.requests);
}

/** Rounds of a run that is killed, with its claude, after a few calls. */
const ROUNDS = 8;
const CALLS = 3;

/** A run is taken up; of the project, another one begins. */
async function killAndGoOn(
  world: World,
  limit: Spending,
  argumentsOf: (prompt: number) => readonly string[],
  options: { readonly env: Readonly<Record<string, string>>; readonly cwd: string },
): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const isNew = round === 0 || limit === 'cost.projectLimitUsd';
    const args = isNew ? argumentsOf(round) : [CTXB, 'run', '--resume-run'];
    const before = world.standin.requests.length;
    const run = startProgram(process.execPath, args, options);
    run.stdin.end();
    const isKilled = await Promise.race([
      run.finished.then(() => false),
      world.standin.waitFor(before + CALLS).then(
        () => true,
        () => false,
      ),
    ]);
    if (!isKilled) break;
    const { claude } = journalLines(world).findLast(({ kind }) => kind === 'start') ?? {};
    run.kill('SIGKILL');
    endNow((claude as { readonly pid?: number } | undefined)?.pid);
    await run.finished;
  }
}

function endNow(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended with its ctxb.
  }
}

/** The most that one run, one project or one subagent has spent, by what the API was asked. */
function billOf(limit: Spending, requests: readonly RecordedRequest[]): number {
  const main = requests.filter(({ kind }) => kind === 'main');
  const sub = requests.filter(({ kind }) => kind === 'subagent').map((request) => userTexts(request).join('\n'));
  const taskIn = (text: string) => /SUBTASK \d+ of PROMPT-\d/.exec(text)?.[0] ?? '';
  const most = (names: readonly string[]) =>
    Math.max(0, ...[...new Set(names)].map((name) => names.filter((one) => one === name).length));
  const units = {
    'cost.limitUsd': () => most(main.map((request) => promptIn(userTexts(request).join('\n')))),
    'cost.projectLimitUsd': () => main.length,
    'agents.max': () => most([...new Set(sub.map(taskIn))].map(promptIn)),
    'agents.tokens': () => most(sub.map(taskIn)),
    'agents.costUsd': () => most(sub.map(taskIn)),
  }[limit]();
  return units * UNIT[limit];
}

type Spent = Readonly<Record<Situation, readonly number[]>>;

/** The table of SECURITY.md: the least and the most over the places in which a limit can be set. */
export function spentTable(all: Readonly<Record<Spending, Spent>>): string {
  const rows = SPENDING.map((limit) => {
    const cells = SITUATIONS.map((situation) => rangeText(limit, all[limit][situation]));
    return `| \`${limit}\` | ${shown(limit, LIMIT_VALUES[limit].mine)} | ${cells.join(' | ')} |`;
  });
  return [`| limit | set to | ${SITUATIONS.join(' | ')} |`, '| --- | ---: | ---: | ---: | ---: |', ...rows].join('\n');
}

function rangeText(limit: Spending, figures: readonly number[]): string {
  const texts = [Math.min(...figures), Math.max(...figures)].map((figure) => shown(limit, figure));
  return [...new Set(texts)].join(' to ');
}

function shown(limit: Spending, figure: number): string {
  if (limit === 'agents.max') return String(figure);
  return limit === 'agents.tokens' ? figure.toLocaleString('en') : `$${figure.toFixed(2)}`;
}

/** The cells of such a table in a page. */
export function cellsIn(
  page: string,
): { readonly limit: Spending; readonly situation: Situation; readonly most: number }[] {
  const table = page.slice(page.indexOf('| limit | set to |')).split('\n');
  return SPENDING.flatMap((limit) => {
    const cells =
      table
        .find((line) => line.startsWith(`| \`${limit}\` |`))
        ?.split('|')
        .slice(3, -1) ?? [];
    return cells.map((cell, at) => {
      const most = Number((cell.split(' to ').at(-1) ?? '').replace(/[$,]/g, ''));
      return { limit, situation: SITUATIONS[at] ?? 'alone', most };
    });
  });
}

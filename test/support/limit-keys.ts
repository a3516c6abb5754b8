import { KEY_PATHS, KEYS, type Key, type KeyPath } from '../../src/config/keys.ts';
import type { LIMITS } from '../../src/config/limits.ts';
import type { ConfigFile } from '../../src/config/read-config.ts';
import { type Flags, resolveFound } from '../../src/config/resolve-config.ts';
import { agentsBegun } from '../../src/core/governor/agents/agent-limits.ts';
import type { Policy } from '../../src/core/governor/policy.ts';
import { callLine, type Driver, drive, hookLine, initLine, type Line, runWith, sent } from './governor.ts';

export type Limit = (typeof LIMITS)[number];

/** The user's value, and the looser value of a repository's file. */
export const LIMIT_VALUES: Readonly<Record<Limit, { readonly mine: number; readonly theirs: number }>> = {
  'cost.limitUsd': { mine: 0.5, theirs: 1_000 },
  'cost.projectLimitUsd': { mine: 0.5, theirs: 1_000 },
  'limits.time': { mine: 5, theirs: 0 },
  'agents.max': { mine: 2, theirs: 1_000 },
  'agents.tokens': { mine: 100_000, theirs: 1_000_000_000 },
  'agents.costUsd': { mine: 0.5, theirs: 1_000 },
};

const PRICES_OF_0 = { claude: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 } };

/** Values of a key with which a file might lift a limit. */
export function hostileValues(key: KeyPath): readonly unknown[] {
  const { type }: Key = KEYS[key];
  if (key in LIMIT_VALUES) return [LIMIT_VALUES[key as Limit].theirs];
  if (key === 'cost.prices') return [PRICES_OF_0];
  if (typeof type !== 'string') return type;
  const values = {
    tokens: [1_000_000],
    share: [0.99],
    level: [0.99],
    moment: [0.99],
    characters: [0],
    count: [0, 1_000],
    flag: [true, false],
    text: ['x'],
    folder: ['elsewhere'],
    seconds: [86_400],
    duration: [0, '30d'],
    silence: [0, '30d'],
    dollars: [1_000],
    prices: [],
  };
  return values[type];
}

export const WAYS = ['flag', 'variable', "the user's file"] as const;

/** The limit as the user sets it, and the file of the repository. */
export function configWith(limit: Limit, way: (typeof WAYS)[number], repository: Record<string, unknown>) {
  const { mine } = LIMIT_VALUES[limit];
  const flags: Flags = way === 'flag' ? { [limit]: mine } : {};
  const env = way === 'variable' ? { [variableOf(limit)]: String(mine) } : {};
  const files: ConfigFile[] = [
    { path: '/work/project/.contextbudgetrc', source: 'file', content: keyTree(repository) },
    { path: '/home/me/.contextbudgetrc', source: 'user', content: keyTree({ [limit]: mine }) },
  ];
  const found = { files: way === "the user's file" ? files : files.slice(0, 1), findings: [] };
  return resolveFound(found, { cwd: '/work/project', env, flags });
}

export function variableOf(limit: Limit): string {
  return `CTXB_${limit.replace(/[A-Z]/g, '_$&').replace('.', '_').toUpperCase()}`;
}

export function optionOf(limit: Limit): string {
  return KEYS[limit].option.split(' ')[0] ?? '';
}

/** Values by their keys' paths, as a file has them. */
export function keyTree(values: Record<string, unknown>): object {
  const tree: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(values)) {
    const [group = '', name] = key.split('.');
    tree[group] = name === undefined ? value : { ...Object(tree[group]), [name]: value };
  }
  return tree;
}

const MOST = 40;

/** Calls, subagents or seconds until the limit stops the run; `MOST`: it does not. */
export function allowed(limit: Limit, policy: Policy & { readonly observe: boolean }): number {
  const driver = drive(
    runWith({ policy: { ...policy, window: policy.window ?? 200_000 }, mode: policy.observe ? 'observe' : 'act' }),
  );
  driver.begin();
  driver.prompt('Do the thing.');
  driver.claude(initLine(), callLine(20_000));
  return PLAYS[limit](driver);
}

const PLAYS: Readonly<Record<Limit, (driver: Driver) => number>> = {
  'cost.limitUsd': (driver) => untilAsked(driver, 'interrupt', () => callLine(300_000)),
  'cost.projectLimitUsd': (driver) => untilAsked(driver, 'interrupt', () => callLine(300_000)),
  'limits.time'({ actions }) {
    const timer = actions.find((action) => action.kind === 'set-timer' && action.timer === 'time');
    return timer?.kind === 'set-timer' ? timer.afterMs / 1_000 : MOST;
  },
  'agents.max'(driver) {
    const ask = (index: number) =>
      hookLine('PreToolUse', { tool_name: 'Agent', tool_input: {}, tool_use_id: `t${index}` });
    for (let index = 0; index < MOST; index++) driver.claude(ask(index));
    return driver.state.run.mode === 'act' ? agentsBegun(driver.state) : MOST;
  },
  'agents.tokens': untilAgentStops,
  'agents.costUsd': untilAgentStops,
};

function untilAgentStops(driver: Driver): number {
  const ids = { task_id: 'a1', tool_use_id: 't1' };
  driver.claude({ type: 'system', subtype: 'task_started', task_type: 'local_agent', ...ids });
  return untilAsked(driver, 'stop_task', () => callLine(300_000, { parent_tool_use_id: 't1' }));
}

function untilAsked(driver: Driver, subtype: string, call: () => Line): number {
  for (let count = 1; count <= MOST; count++) {
    const asked = sent(driver.claude(call())).map(({ request }) => Object(request).subtype);
    if (asked.includes(subtype)) return count;
  }
  return MOST;
}

/** Effects of keys in a repository's file on limits that the user has set. */
const EFFECTS: Readonly<Partial<Record<KeyPath, string>>> = {
  observe: '`true` is ignored, and a notice says so',
  contextDir: 'the costs of the project are counted as if it were not there',
  'cost.limitUsd': 'one that is lower than yours applies; a higher one does not',
  'cost.projectLimitUsd': 'the same',
  'cost.period': '`month`, the stricter one, applies, unless you have set a period',
  'cost.onLimit': '`stop` applies; `ask` wraps up if nobody can be asked',
  'cost.prices': 'apply where they are higher than the list prices',
  'limits.time': 'one that is lower than yours applies; a higher one, or 0, does not',
  'agents.max': 'one that is lower than yours applies; a higher one does not',
  'agents.tokens': 'the same',
  'agents.costUsd': 'the same',
};

/** The table of SECURITY.md. */
export function limitsTable(): string {
  const rows = KEY_PATHS.flatMap((key) => (EFFECTS[key] === undefined ? [] : [`| \`${key}\` | ${EFFECTS[key]} |`]));
  const others = KEY_PATHS.length - Object.keys(EFFECTS).length;
  return [
    '| key in a file of a repository | effect on a limit that you have set |',
    '| --- | --- |',
    ...rows,
    `| the other ${others} | change no limit |`,
  ].join('\n');
}

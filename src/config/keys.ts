import type { ConfigPath, SettingAt } from './config.ts';
import type { Kind } from './values.ts';

/** One key of the configuration: all that is said about it anywhere. Its variable is made of its name. */
export interface Key<T = unknown> {
  /** The kind of its values, or the words that it takes. */
  readonly takes: Kind | readonly (T & string)[];
  /** What holds where nobody sets it; without it nothing does. */
  readonly preset?: T;
  /** A sentence for the schema, docs/configuration.md and the help of its option. */
  readonly about: string;
  /** Its option of `ctxb run`; one that begins with `--no-` sets it to false. */
  readonly option?: string;
}

type Table = { readonly [P in ConfigPath]?: Key<SettingAt<P>> };

/** Every key that a file, a `CTXB_*` variable or an option may set, in the order of the documentation. */
export const KEYS = {
  window: {
    takes: 'tokens',
    about: 'Size of the context window in tokens; measured when not set.',
    option: '--window <tokens>',
  },
  strategy: {
    takes: ['compact', 'handoff', 'auto'],
    preset: 'compact',
    about: 'How to make room: compact, handoff (continue in a fresh context), or auto (what costs less).',
    option: '--strategy <way>',
  },
  task: {
    takes: 'text',
    about: 'What the work is about: for the notes, and {task} of compaction.focus.',
    option: '--task <text>',
  },
  state: {
    takes: 'text',
    about: 'Where the work stands: for the notes, and {state} of compaction.focus. ctxb note state changes it.',
    option: '--state <text>',
  },
  observe: {
    takes: 'flag',
    preset: false,
    about: 'Only measure and report: change nothing, and add nothing to the input of claude.',
    option: '--observe',
  },
  quiet: { takes: 'flag', preset: false, about: 'No notices on stderr.', option: '--quiet' },
  statusLine: {
    takes: ['auto', 'always', 'never'],
    preset: 'auto',
    about: 'The status line; auto: only on a terminal.',
    option: '--status-line <when>',
  },
  contextDir: {
    takes: 'folder',
    preset: '.context',
    about: 'The folder for what ctxb keeps.',
    option: '--context-dir <folder>',
  },

  'thresholds.warn': {
    takes: 'level',
    preset: 0.7,
    about: 'Where ctxb asks the agent to come to a good stopping point; the zone critical begins here.',
    option: '--warn-at <threshold>',
  },
  'thresholds.compact': {
    takes: 'moment',
    preset: 'economic',
    about:
      'When to compact: economic, as soon as it pays, and at 78% unless it may cost more than claude alone; or always at this level.',
    option: '--compact-at <when>',
  },
  'thresholds.handoff': {
    takes: 'level',
    preset: 0.85,
    about: 'Where ctxb hands the work over to a fresh context, if compaction is off or does not help.',
    option: '--handoff-at <threshold>',
  },
  'thresholds.midTurn': {
    takes: 'level',
    preset: 0.88,
    about: "Where claude's own compaction is placed; never later than 33,000 tokens below the window.",
    option: '--mid-turn-at <threshold>',
  },

  'compaction.enabled': {
    takes: 'flag',
    preset: true,
    about: 'Compact at turn boundaries.',
    option: '--no-compaction',
  },
  'compaction.how': {
    takes: ['auto', 'exact', 'summary'],
    preset: 'auto',
    about:
      'exact: ctxb chooses what stays of the conversation, without a call; summary: the model writes one; auto: exact where this claude can.',
    option: '--compaction <how>',
  },
  'compaction.when': {
    takes: ['next-prompt', 'boundary'],
    preset: 'next-prompt',
    about: 'next-prompt: compact when a prompt waits; boundary: at the end of the turn.',
    option: '--compact-when <when>',
  },
  'compaction.target': {
    takes: 'level',
    preset: 0.5,
    about: 'A compaction should leave less than this; once it has, thresholds count as not crossed.',
  },
  'compaction.timeoutSeconds': {
    takes: 'seconds',
    preset: 300,
    about: 'How long claude may take for a compaction without saying anything.',
  },
  'compaction.focus': {
    takes: 'text',
    preset: 'focus on {task} -- current state is {state}',
    about: 'What the summary is to keep; {task} and {state} are filled in, or left out with the words around them.',
  },

  'midTurn.enabled': {
    takes: 'flag',
    preset: true,
    about: "Place claude's own compaction at thresholds.midTurn.",
    option: '--no-mid-turn',
  },

  'memory.enabled': {
    takes: 'flag',
    preset: true,
    about: 'Keep notes of the session outside the context.',
    option: '--no-memory',
  },

  'zones.onLargeTask': {
    takes: ['announce', 'relieve', 'reject'],
    preset: 'announce',
    about: 'For a prompt that is too large for what is left: announce it, relieve (make room first), or reject it.',
    option: '--on-large-task <what>',
  },
  'zones.tellAgent': { takes: 'flag', preset: true, about: 'Tell the agent how full its context is.' },

  'handoff.enabled': {
    takes: 'flag',
    preset: true,
    about: 'Hand the work over to a fresh context when nothing else helps.',
    option: '--no-handoff',
  },

  'cost.limitUsd': { takes: 'dollars', about: 'What one run may cost, in US dollars.', option: '--cost-limit <usd>' },
  'cost.projectLimitUsd': {
    takes: 'dollars',
    about:
      'What all runs of this project may cost in one period, in US dollars. A project is a working folder, or a context folder that you name.',
    option: '--project-cost-limit <usd>',
  },
  'cost.period': {
    takes: ['day', 'month'],
    preset: 'day',
    about: 'The period of cost.projectLimitUsd, in local time.',
  },
  'cost.onLimit': {
    takes: ['auto', 'ask', 'wrap-up', 'stop'],
    preset: 'auto',
    about:
      'At a limit: ask, wrap up with one last prompt, or stop. auto asks at a terminal and wraps up elsewhere, as ask does there.',
    option: '--on-cost-limit <what>',
  },
  'cost.prices': {
    takes: 'prices',
    preset: {},
    about:
      'Prices instead of the built-in ones, used where claude reports no cost, and for limits where they are higher; cacheWrite, cacheWriteHour and cacheRead follow the input; in a file only.',
  },

  'limits.time': {
    takes: 'duration',
    about: 'How long a run may take. Then it wraps up or stops, as cost.onLimit says; nobody is asked.',
    option: '--time-limit <duration>',
  },
  'limits.wait': {
    takes: 'duration',
    preset: 0,
    about:
      'At a usage limit of the account: wait at most this long (6h, 90m) until it resets. 0 ends the run with exit code 5.',
    option: '--limit-wait <duration>',
  },
  'limits.outageWait': {
    takes: 'duration',
    about:
      'While the API is overloaded or out of reach: repeat the turn for this long. 10m with several prompts or limits.wait, else 0.',
    option: '--outage-wait <duration>',
  },
  'limits.warnAt': {
    takes: 'part',
    preset: 0.9,
    about: 'Share of a usage limit at which there is a notice, and the agent is told, where claude reports the share.',
  },

  'agents.max': {
    takes: 'count',
    about: 'How many subagents a run may start, including those of subagents and workflows. A further one is refused.',
    option: '--max-agents <number>',
  },
  'agents.tokens': {
    takes: 'tokens',
    about: 'How many tokens one subagent may read and write, the prompt cache included. Beyond that it is stopped.',
    option: '--max-agent-tokens <tokens>',
  },
  'agents.costUsd': {
    takes: 'dollars',
    about: 'What one subagent may cost, in US dollars from list prices. Beyond that it is stopped.',
    option: '--max-agent-cost <usd>',
  },

  'recovery.enabled': {
    takes: 'flag',
    preset: true,
    about: 'Start claude again in the same session when it has died.',
    option: '--no-restart',
  },
  'recovery.stallAfter': {
    takes: 'silence',
    about:
      'Restart claude in the same session when it has written nothing for this long (15m). While a tool runs, stderr only names the tool.',
    option: '--stall-after <duration>',
  },

  'flow.preset': {
    takes: ['lean', 'balanced', 'heavy'],
    about: 'Sets the three sizes below at once; a size that is set itself wins.',
  },
  'flow.contextBudgetChars': { takes: 'characters', about: 'What a briefing may take, in characters.' },
  'flow.historyRecentChars': {
    takes: 'characters',
    about: 'What the output of the newest step, or of a critical one, may take of a briefing, in characters.',
  },
  'flow.historyOlderChars': {
    takes: 'characters',
    about: "What each other step's output may take of a briefing, in characters.",
  },
  'flow.contextBudgetTokens': {
    takes: 'share',
    about: 'Instead of contextBudgetChars: tokens, or a share of the window.',
  },
  'flow.priorities': {
    takes: 'priorities',
    preset: {},
    about: "How much an agent's output counts, instead of what is built in; in a file only.",
  },
  'flow.curator': {
    takes: 'flag',
    preset: false,
    about: 'Ask a cheap model before each step what matters to it, and have it sum up older steps.',
  },

  'tiers.total': {
    takes: 'share',
    preset: 100_000,
    about:
      'What the whole context is planned to take: system prompt, what stands for the past, results of tools, prompts, the answer.',
  },

  'tools.mode': {
    takes: ['enforce', 'advise', 'off'],
    preset: 'enforce',
    about: 'enforce: cut results that are too large and keep them in files; advise: only tell the agent; off.',
    option: '--tool-budgets <mode>',
  },
  'tools.perCall': {
    takes: 'share',
    preset: 8_000,
    about: 'What one result of a tool may take; where it is not set, a Read may take 25,000.',
  },
} as const satisfies Table;

/** A key as findings, flags and sources name it: `window`, `thresholds.warn`. Overrides of tools are `ToolKey`s. */
export type KeyPath = keyof typeof KEYS;

/** The names of the keys in their order. */
export const KEY_PATHS = Object.keys(KEYS) as readonly KeyPath[];

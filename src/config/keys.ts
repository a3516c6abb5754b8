import type { ConfigPath, SettingAt } from './config.ts';
import type { ValueKind } from './values.ts';

/** A configuration key with all its texts. Its name determines its variable. */
export interface Key<T = unknown> {
  readonly type: ValueKind | readonly (T & string)[];
  /** The default; undefined if the key is not set by default. */
  readonly preset?: T;
  /** A sentence for the schema, docs/configuration.md and the help of the option. */
  readonly description: string;
  /** Its option of `ctxb run`. An option that begins with `--no-` sets it to false. */
  readonly option?: string;
}

/** Every key that a file, a `CTXB_*` variable or an option may set, in the order of the documentation. */
export const KEYS = {
  window: {
    type: 'tokens',
    description: 'Size of the context window in tokens; measured when not set.',
    option: '--window <tokens>',
  },
  strategy: {
    type: ['compact', 'handoff'],
    preset: 'compact',
    description: 'How to make room: compact, or handoff (continue in a fresh context).',
    option: '--strategy <way>',
  },
  task: {
    type: 'text',
    description: 'What the work is about: for the notes, and {task} of compaction.focus.',
    option: '--task <text>',
  },
  state: {
    type: 'text',
    description: 'Where the work stands: for the notes, and {state} of compaction.focus. ctxb note state changes it.',
    option: '--state <text>',
  },
  observe: {
    type: 'flag',
    preset: false,
    description: 'Only measure and report: change nothing, and add nothing to the input of claude.',
    option: '--observe',
  },
  quiet: { type: 'flag', preset: false, description: 'Print no notices on stderr.', option: '--quiet' },
  statusLine: {
    type: ['auto', 'always', 'never'],
    preset: 'auto',
    description: 'When to show the status line; auto: only on a terminal.',
    option: '--status-line <when>',
  },
  contextDir: {
    type: 'folder',
    preset: '.context',
    description: "Folder for ctxb's files.",
    option: '--context-dir <folder>',
  },

  'thresholds.warn': {
    type: 'level',
    preset: 0.7,
    description: 'Beginning of the zone critical: ctxb asks the agent to come to a stopping point.',
    option: '--warn-at <threshold>',
  },
  'thresholds.compact': {
    type: 'moment',
    preset: 'economic',
    description:
      'When to compact. economic: as soon as it saves more than it costs, often at 70,000 to 140,000 tokens, at 78% at the latest if the run can bear the cost. A level, such as 60%: always at that level.',
    option: '--compact-at <when>',
  },
  'thresholds.handoff': {
    type: 'level',
    preset: 0.85,
    description: 'Level at which ctxb hands over to a fresh context, if compaction is off or does not help.',
    option: '--handoff-at <threshold>',
  },
  'thresholds.midTurn': {
    type: 'level',
    preset: 1,
    description: "Level of claude's own compaction; at most the window less 33,000 tokens, which is claude's default.",
    option: '--mid-turn-at <threshold>',
  },

  'compaction.enabled': {
    type: 'flag',
    preset: true,
    description: 'Compact between two turns.',
    option: '--no-compaction',
  },
  'compaction.how': {
    type: ['auto', 'exact', 'summary'],
    preset: 'auto',
    description:
      'exact: ctxb chooses what stays, without a call; summary: the model writes a summary; auto: exact if this claude can.',
    option: '--compaction <how>',
  },
  'compaction.when': {
    type: ['next-prompt', 'boundary'],
    preset: 'next-prompt',
    description: 'next-prompt: compact when a prompt waits; boundary: at the end of the turn.',
    option: '--compact-when <when>',
  },
  'compaction.target': {
    type: 'level',
    preset: 0.5,
    description: 'Size that a compaction should leave at most. Below it, thresholds count as not crossed.',
  },
  'compaction.timeoutSeconds': {
    type: 'seconds',
    preset: 300,
    description: 'How long claude may be silent during a compaction.',
  },
  'compaction.focus': {
    type: 'text',
    preset: 'focus on {task} -- current state is {state}',
    description:
      "What claude's summary should keep. ctxb fills in {task} and {state}, or leaves them out with the words around them.",
  },

  'midTurn.enabled': {
    type: 'flag',
    preset: true,
    description: "Place claude's own compaction at thresholds.midTurn.",
    option: '--no-mid-turn',
  },

  'memory.enabled': {
    type: 'flag',
    preset: true,
    description: 'Keep notes of the session outside the context.',
    option: '--no-memory',
  },

  'zones.onLargeTask': {
    type: ['announce', 'relieve', 'reject'],
    preset: 'announce',
    description:
      'For a prompt that is too large for the rest of the window: announce it, relieve (make room first), or reject it.',
    option: '--on-large-task <what>',
  },
  'zones.tellAgent': { type: 'flag', preset: true, description: 'Tell the agent how full its context is.' },

  'handoff.enabled': {
    type: 'flag',
    preset: true,
    description: 'Hand the work over to a fresh context when nothing else helps.',
    option: '--no-handoff',
  },

  'cost.limitUsd': {
    type: 'dollars',
    description: 'What one run may cost, in US dollars.',
    option: '--cost-limit <usd>',
  },
  'cost.projectLimitUsd': {
    type: 'dollars',
    description:
      'What all runs of this project may cost in one period, in US dollars. A project is a working folder, or a context folder that you name.',
    option: '--project-cost-limit <usd>',
  },
  'cost.period': {
    type: ['day', 'month'],
    preset: 'day',
    description: 'The period of cost.projectLimitUsd, in local time.',
  },
  'cost.onLimit': {
    type: ['auto', 'ask', 'wrap-up', 'stop'],
    preset: 'auto',
    description:
      'At a limit: ask, wrap up with one last prompt, or stop. auto asks at a terminal. Without a terminal, auto and ask wrap up.',
    option: '--on-cost-limit <what>',
  },
  'cost.prices': {
    type: 'prices',
    preset: {},
    description:
      'Prices that replace the built-in ones; in a file only. ctxb uses them if claude reports no cost, and for limits if they are higher. cacheWrite, cacheWriteHour and cacheRead follow from input.',
  },

  'limits.time': {
    type: 'duration',
    description:
      'Maximum duration of a run. At the limit, the run wraps up or stops without a question, as cost.onLimit sets.',
    option: '--time-limit <duration>',
  },
  'limits.wait': {
    type: 'duration',
    preset: 0,
    description:
      'How long to wait at a usage limit of the account until it resets (6h, 90m). 0 ends the run with exit code 5.',
    option: '--limit-wait <duration>',
  },
  'limits.outageWait': {
    type: 'duration',
    description:
      'How long to repeat the turn while the API is overloaded or out of reach. Default: 10m with several prompts or limits.wait, else 0.',
    option: '--outage-wait <duration>',
  },

  'agents.max': {
    type: 'count',
    description:
      'How many subagents a run may start, including those of subagents and workflows. ctxb refuses a further one.',
    option: '--max-agents <number>',
  },
  'agents.tokens': {
    type: 'tokens',
    description:
      'How many tokens one subagent may read and write, including the prompt cache. Beyond that ctxb stops it.',
    option: '--max-agent-tokens <tokens>',
  },
  'agents.costUsd': {
    type: 'dollars',
    description: 'What one subagent may cost, in US dollars from list prices. Beyond that ctxb stops it.',
    option: '--max-agent-cost <usd>',
  },

  'recovery.enabled': {
    type: 'flag',
    preset: true,
    description: 'Restart claude in the same session if it dies.',
    option: '--no-restart',
  },
  'recovery.stallAfter': {
    type: 'silence',
    description:
      'Restart claude in the same session if it writes nothing for this long (15m). While a tool runs, stderr only names the tool.',
    option: '--stall-after <duration>',
  },

  'flow.preset': {
    type: ['lean', 'balanced', 'heavy'],
    description: 'Sets the three sizes below. A size that you set overrides it.',
  },
  'flow.contextBudgetChars': { type: 'characters', description: 'Size of a briefing, in characters.' },
  'flow.historyRecentChars': {
    type: 'characters',
    description: 'Size of the output of the newest step, or of a critical one, in a briefing, in characters.',
  },
  'flow.historyOlderChars': {
    type: 'characters',
    description: "Size of each other step's output in a briefing, in characters.",
  },
  'flow.curator': {
    type: 'flag',
    preset: false,
    description: 'Ask a cheap model before each step what matters to it, and have it sum up older steps.',
  },

  'tiers.total': {
    type: 'share',
    preset: 100_000,
    description: 'Planned size of the whole context: system prompt, history, results of tools, prompts, the answer.',
  },

  'tools.mode': {
    type: ['enforce', 'advise', 'off'],
    preset: 'enforce',
    description:
      'enforce: cut results that are too large and keep them in files; advise: only tell the agent; off: do nothing.',
    option: '--tool-budgets <mode>',
  },
  'tools.perCall': {
    type: 'share',
    preset: 8_000,
    description: 'Budget for one result of a tool. If you do not set it, a Read may take 25,000.',
  },
} as const satisfies { readonly [P in ConfigPath]?: Key<SettingAt<P>> };

/** The name of a key in findings, flags and sources: `window`, `thresholds.warn`. Overrides of tools are `ToolKey`s. */
export type KeyPath = keyof typeof KEYS;

export const KEY_PATHS = Object.keys(KEYS) as readonly KeyPath[];

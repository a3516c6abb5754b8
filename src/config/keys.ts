import type { ConfigPath, SettingAt } from './config.ts';
import type { ValueKind } from './values.ts';

/** A configuration key with all its texts. Its name determines its variable. */
export interface Key<T = unknown> {
  readonly takes: ValueKind | readonly (T & string)[];
  /** The default; undefined if the key is not set by default. */
  readonly preset?: T;
  /** A sentence for the schema, docs/configuration.md and the help of the option. */
  readonly about: string;
  /** Its option of `ctxb run`. An option that begins with `--no-` sets it to false. */
  readonly option?: string;
}

/** Every key that a file, a `CTXB_*` variable or an option may set, in the order of the documentation. */
export const KEYS = {
  window: {
    takes: 'tokens',
    about: 'Size of the context window in tokens; measured when not set.',
    option: '--window <tokens>',
  },
  strategy: {
    takes: ['compact', 'handoff'],
    preset: 'compact',
    about: 'How to make room: compact, or handoff (continue in a fresh context).',
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
  quiet: { takes: 'flag', preset: false, about: 'Print no notices on stderr.', option: '--quiet' },
  statusLine: {
    takes: ['auto', 'always', 'never'],
    preset: 'auto',
    about: 'When to show the status line; auto: only on a terminal.',
    option: '--status-line <when>',
  },
  contextDir: {
    takes: 'folder',
    preset: '.context',
    about: "Folder for ctxb's files.",
    option: '--context-dir <folder>',
  },

  'thresholds.warn': {
    takes: 'level',
    preset: 0.7,
    about: 'Beginning of the zone critical: ctxb asks the agent to come to a stopping point.',
    option: '--warn-at <threshold>',
  },
  'thresholds.compact': {
    takes: 'moment',
    preset: 'economic',
    about:
      'When to compact. economic: as soon as it saves more than it costs, often at 70,000 to 140,000 tokens, or at 78% if the run can bear the cost. A level, such as 60%: always there.',
    option: '--compact-at <when>',
  },
  'thresholds.handoff': {
    takes: 'level',
    preset: 0.85,
    about: 'Level at which ctxb hands over to a fresh context, if compaction is off or does not help.',
    option: '--handoff-at <threshold>',
  },
  'thresholds.midTurn': {
    takes: 'level',
    preset: 1,
    about: "Level of claude's own compaction; at most the window less 33,000 tokens, which is claude's default.",
    option: '--mid-turn-at <threshold>',
  },

  'compaction.enabled': {
    takes: 'flag',
    preset: true,
    about: 'Compact between two turns.',
    option: '--no-compaction',
  },
  'compaction.how': {
    takes: ['auto', 'exact', 'summary'],
    preset: 'auto',
    about:
      'exact: ctxb chooses what stays, without a call; summary: the model writes a summary; auto: exact if this claude can.',
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
    about: 'Size that a compaction should leave at most. Below it, thresholds count as not crossed.',
  },
  'compaction.timeoutSeconds': {
    takes: 'seconds',
    preset: 300,
    about: 'How long claude may be silent during a compaction.',
  },
  'compaction.focus': {
    takes: 'text',
    preset: 'focus on {task} -- current state is {state}',
    about:
      "What claude's summary should keep. ctxb fills in {task} and {state}, or leaves them out with the words around them.",
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
    about:
      'For a prompt that is too large for the rest of the window: announce it, relieve (make room first), or reject it.',
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
      'At a limit: ask, wrap up with one last prompt, or stop. auto asks at a terminal. Without a terminal, auto and ask wrap up.',
    option: '--on-cost-limit <what>',
  },
  'cost.prices': {
    takes: 'prices',
    preset: {},
    about:
      'Prices that replace the built-in ones; in a file only. ctxb uses them if claude reports no cost, and for limits if they are higher. cacheWrite, cacheWriteHour and cacheRead follow from input.',
  },

  'limits.time': {
    takes: 'duration',
    about: 'How long a run may take. Then it wraps up or stops, as cost.onLimit sets, and does not ask.',
    option: '--time-limit <duration>',
  },
  'limits.wait': {
    takes: 'duration',
    preset: 0,
    about:
      'How long to wait at a usage limit of the account until it resets (6h, 90m). 0 ends the run with exit code 5.',
    option: '--limit-wait <duration>',
  },
  'limits.outageWait': {
    takes: 'duration',
    about:
      'How long to repeat the turn while the API is overloaded or out of reach. Default: 10m with several prompts or limits.wait, else 0.',
    option: '--outage-wait <duration>',
  },

  'agents.max': {
    takes: 'count',
    about:
      'How many subagents a run may start, including those of subagents and workflows. ctxb refuses a further one.',
    option: '--max-agents <number>',
  },
  'agents.tokens': {
    takes: 'tokens',
    about: 'How many tokens one subagent may read and write, including the prompt cache. Beyond that ctxb stops it.',
    option: '--max-agent-tokens <tokens>',
  },
  'agents.costUsd': {
    takes: 'dollars',
    about: 'What one subagent may cost, in US dollars from list prices. Beyond that ctxb stops it.',
    option: '--max-agent-cost <usd>',
  },

  'recovery.enabled': {
    takes: 'flag',
    preset: true,
    about: 'Restart claude in the same session if it dies.',
    option: '--no-restart',
  },
  'recovery.stallAfter': {
    takes: 'silence',
    about:
      'Restart claude in the same session if it writes nothing for this long (15m). While a tool runs, stderr only names the tool.',
    option: '--stall-after <duration>',
  },

  'flow.preset': {
    takes: ['lean', 'balanced', 'heavy'],
    about: 'Sets the three sizes below. A size that you set overrides it.',
  },
  'flow.contextBudgetChars': { takes: 'characters', about: 'Size of a briefing, in characters.' },
  'flow.historyRecentChars': {
    takes: 'characters',
    about: 'Size of the output of the newest step, or of a critical one, in a briefing, in characters.',
  },
  'flow.historyOlderChars': {
    takes: 'characters',
    about: "Size of each other step's output in a briefing, in characters.",
  },
  'flow.curator': {
    takes: 'flag',
    preset: false,
    about: 'Ask a cheap model before each step what matters to it, and have it sum up older steps.',
  },

  'tiers.total': {
    takes: 'share',
    preset: 100_000,
    about: 'Planned size of the whole context: system prompt, history, results of tools, prompts, the answer.',
  },

  'tools.mode': {
    takes: ['enforce', 'advise', 'off'],
    preset: 'enforce',
    about:
      'enforce: cut results that are too large and keep them in files; advise: only tell the agent; off: do nothing.',
    option: '--tool-budgets <mode>',
  },
  'tools.perCall': {
    takes: 'share',
    preset: 8_000,
    about: 'Budget for one result of a tool. If you do not set it, a Read may take 25,000.',
  },
} as const satisfies { readonly [P in ConfigPath]?: Key<SettingAt<P>> };

/** The name of a key in findings, flags and sources: `window`, `thresholds.warn`. Overrides of tools are `ToolKey`s. */
export type KeyPath = keyof typeof KEYS;

export const KEY_PATHS = Object.keys(KEYS) as readonly KeyPath[];

import { type ConfigPath, isToolKey, type ValueAt } from './config.ts';
import type { Kind } from './values.ts';

/** One key of the configuration: all that is said about it anywhere. Its variable is made of its name. */
export interface Key<T = unknown> {
  /** The kind of its values, or the words that it takes. */
  readonly takes: Kind | readonly (T & string)[];
  /** What holds where nobody sets it; undefined: nothing does. */
  readonly preset: T;
  /** For the schema and docs/configuration.md. */
  readonly about: string;
  /** Its option of `ctxb run`; one that begins with `--no-` sets it to false. */
  readonly option?: { readonly flags: string; readonly help: string };
}

type Table = { readonly [P in ConfigPath]?: Key<ValueAt<P>> };

/** Every key that a file, a `CTXB_*` variable or an option may set, in the order of the documentation. */
export const KEYS = {
  window: {
    takes: 'tokens',
    preset: undefined,
    about: 'Size of the context window in tokens; measured when not set.',
    option: { flags: '--window <tokens>', help: 'size of the context window (default: measured)' },
  },
  strategy: {
    takes: ['compact', 'handoff', 'auto'],
    preset: 'compact',
    about: 'How the context is relieved between two turns; auto: what costs less for what it frees.',
    option: { flags: '--strategy <way>', help: 'relieve the context by compact, handoff, or auto: the cheaper' },
  },
  task: {
    takes: 'text',
    preset: undefined,
    about: 'What the agent works on: {task} of compaction.focus.',
    option: { flags: '--task <text>', help: 'what the work is about, for the notes and the focus of a compaction' },
  },
  state: {
    takes: 'text',
    preset: undefined,
    about: 'Where the work stands: {state} of compaction.focus.',
    option: { flags: '--state <text>', help: 'where the work stands, for the same; ctxb note state changes it' },
  },
  observe: {
    takes: 'flag',
    preset: false,
    about: 'Watch and report only, never act.',
    option: {
      flags: '--observe',
      help: 'judge and report only: nothing is done, nothing is added to the input of claude',
    },
  },
  quiet: {
    takes: 'flag',
    preset: false,
    about: 'No notices on stderr.',
    option: { flags: '--quiet', help: 'say nothing on stderr' },
  },
  showInjected: {
    takes: 'flag',
    preset: false,
    about: "Show the turns that ctxb injected in claude's output.",
    option: { flags: '--show-injected', help: 'also show the lines of turns that ctxb itself started' },
  },
  statusLine: {
    takes: ['auto', 'always', 'never'],
    preset: 'auto',
    about: 'The status line; auto: only on a terminal.',
    option: { flags: '--status-line <when>', help: 'show it: auto (on a terminal), always or never' },
  },
  contextDir: {
    takes: 'folder',
    preset: '.context',
    about: 'The folder for what ctxb keeps.',
    option: { flags: '--context-dir <folder>', help: 'where journal and notes go' },
  },

  'thresholds.warn': {
    takes: 'share',
    preset: 0.7,
    about: 'The agent is asked to come to a good stopping point; the zone critical begins here.',
    option: {
      flags: '--warn-at <threshold>',
      help: 'warn at this share of the window (0.7, 70%) or number of tokens',
    },
  },
  'thresholds.compact': {
    takes: 'share',
    preset: 0.78,
    about: 'The context is relieved at the next turn boundary.',
    option: { flags: '--compact-at <threshold>', help: 'compact before the next prompt at this level' },
  },
  'thresholds.handoff': {
    takes: 'share',
    preset: 0.85,
    about: 'The work is handed over to a fresh context where compaction is off or does not help.',
    option: {
      flags: '--handoff-at <threshold>',
      help: 'hand over to a fresh context at this level when compaction is off or does not help',
    },
  },
  'thresholds.midTurn': {
    takes: 'share',
    preset: 0.88,
    about: "Where claude's own compaction is placed; never later than 33,000 tokens below the window.",
    option: { flags: '--mid-turn-at <threshold>', help: "where claude's own compaction is to happen in mid-turn" },
  },

  'compaction.enabled': {
    takes: 'flag',
    preset: true,
    about: 'Compact at turn boundaries.',
    option: { flags: '--no-compaction', help: 'never compact at a turn boundary' },
  },
  'compaction.how': {
    takes: ['auto', 'exact', 'summary'],
    preset: 'auto',
    about:
      'exact: ctxb says what stays of the conversation, without a call; summary: the model writes one; auto: exact where this claude can.',
    option: { flags: '--compaction <how>', help: 'exact, summary, or auto: exact where this claude can' },
  },
  'compaction.moment': {
    takes: 'moment',
    preset: 'economic',
    about:
      'When an exact compaction comes, or a handoff where that is the strategy: economic, as soon as it pays, or a share; thresholds.compact is the latest in either case.',
  },
  'compaction.when': {
    takes: ['next-prompt', 'boundary'],
    preset: 'next-prompt',
    about: 'Compact when a next prompt is waiting, or at once at the turn boundary.',
    option: {
      flags: '--compact-when <when>',
      help: 'next-prompt: when a prompt waits; boundary: at the end of the turn',
    },
  },
  'compaction.target': {
    takes: 'share',
    preset: 0.5,
    about: 'A compaction should land below this; below it, a crossed threshold counts as never crossed.',
  },
  'compaction.timeoutSeconds': {
    takes: 'seconds',
    preset: 300,
    about: 'How long claude may be silent about a compaction.',
  },
  'compaction.focus': {
    takes: 'text',
    preset: 'focus on {task} -- current state is {state}',
    about: 'What the summary is to keep; {task} and {state} are filled in, what is unknown is left out with its words.',
  },

  'midTurn.enabled': {
    takes: 'flag',
    preset: true,
    about: "Place claude's own compaction at thresholds.midTurn.",
    option: { flags: '--no-mid-turn', help: "leave claude's own compaction where it is" },
  },

  'memory.enabled': {
    takes: 'flag',
    preset: true,
    about: 'Keep notes of the session outside the context.',
    option: { flags: '--no-memory', help: 'keep no notes and hand none back' },
  },
  'memory.restoreTokens': {
    takes: 'restoreTokens',
    preset: 1_500,
    about: 'How much evidence is handed back after a compaction.',
  },
  'memory.remind': {
    takes: 'flag',
    preset: false,
    about: 'Remind the agent once of notes that it has not opened since the compaction.',
  },
  'memory.statePattern': {
    takes: 'pattern',
    preset: undefined,
    about: 'Finds where the work stands in what the agent says, ^ and $ at each line; a named group is what counts.',
    option: {
      flags: '--state-pattern <regex>',
      help: "finds in claude's words where the work stands; a named group is the state",
    },
  },
  'memory.deadEndPattern': {
    takes: 'pattern',
    preset: undefined,
    about: 'Finds approaches that failed in the same way.',
    option: {
      flags: '--dead-end-pattern <regex>',
      help: "finds in claude's words what did not work; a named group is the text",
    },
  },

  'zones.monitor': { takes: 'share', preset: 0.3, about: 'The zone that is only recorded begins here.' },
  'zones.warning': { takes: 'share', preset: 0.5, about: 'The zone in which large tasks are risky begins here.' },
  'zones.onLargeTask': {
    takes: ['announce', 'relieve', 'reject'],
    preset: 'announce',
    about: 'A prompt that is too large is announced, or the context is relieved first, or it is refused.',
    option: {
      flags: '--on-large-task <what>',
      help: 'announce, relieve (the context first) or reject a prompt that is too large for what is left',
    },
  },
  'zones.tellAgent': { takes: 'flag', preset: true, about: 'Tell the agent how full its context is.' },

  'relief.atOnce': {
    takes: 'count',
    preset: 2,
    about:
      "How many of one user's runs may have the model write a summary or a handoff document at a time; the others put it off and go on working, to thresholds.handoff and for no longer than compaction.timeoutSeconds.",
  },

  'handoff.enabled': {
    takes: 'flag',
    preset: true,
    about: 'Hand the work over to a fresh context when nothing else helps.',
    option: { flags: '--no-handoff', help: 'never hand over to a fresh context' },
  },

  'cost.limitUsd': {
    takes: 'dollars',
    preset: undefined,
    about: 'What one run may cost, in US dollars.',
    option: { flags: '--cost-limit <usd>', help: 'what this run may cost, in US dollars' },
  },
  'cost.projectLimitUsd': {
    takes: 'dollars',
    preset: undefined,
    about: 'What all runs with the same context folder may cost in one period, in US dollars.',
    option: {
      flags: '--project-cost-limit <usd>',
      help: 'what all runs in this folder may cost in one cost.period, a day or a month',
    },
  },
  'cost.period': {
    takes: ['day', 'month'],
    preset: 'day',
    about: 'The period of cost.projectLimitUsd, in local time.',
  },
  'cost.expiredCacheUsd': {
    takes: 'dollarsOrOff',
    preset: 0.25,
    about:
      'A prompt after the prompt cache has expired is announced when that costs this many US dollars more; or "off".',
    option: {
      flags: '--expired-cache-notice <usd>',
      help: 'announce a prompt that comes after the prompt cache has expired when that costs this much more; or off',
    },
  },
  'cost.onLimit': {
    takes: ['auto', 'ask', 'wrap-up', 'stop'],
    preset: 'auto',
    about:
      'At a limit: ask at the terminal, wrap up with one last prompt, or stop; auto: ask where there is a terminal, else wrap up.',
    option: {
      flags: '--on-cost-limit <what>',
      help: 'ask (needs a terminal), wrap-up (one last prompt) or stop (default: ask on a terminal, wrap-up elsewhere)',
    },
  },
  'cost.prices': {
    takes: 'prices',
    preset: {},
    about:
      'Prices that are counted with instead of the built-in ones, where claude reports none; cacheWrite, cacheWriteHour and cacheRead follow the input.',
  },

  'limits.wait': {
    takes: 'duration',
    preset: 0,
    about: 'At a usage limit of the account: wait this long at most until it resets; 0: end with exit code 5.',
    option: {
      flags: '--limit-wait <duration>',
      help: 'at a usage limit, wait this long at most (6h) until it resets (default: end with exit code 5)',
    },
  },
  'limits.outageWait': {
    takes: 'duration',
    preset: undefined,
    about:
      'While the API is overloaded or out of reach: repeat the turn for this long; 10m in a run of several prompts or with limits.wait, else 0.',
    option: {
      flags: '--outage-wait <duration>',
      help: 'while the API is overloaded or out of reach, repeat the turn for this long (default: 10m with several prompts or --limit-wait, else 0)',
    },
  },
  'limits.warnAt': {
    takes: 'part',
    preset: 0.9,
    about: 'Share of a usage limit at which it is announced, and the agent told, where claude reports the share.',
  },

  'agents.max': {
    takes: 'count',
    preset: undefined,
    about:
      'How many subagents one run may start, those of subagents and of workflows included; a further one is refused.',
    option: { flags: '--max-agents <number>', help: 'how many subagents this run may start' },
  },
  'agents.tokens': {
    takes: 'tokens',
    preset: undefined,
    about: 'What all calls of one subagent may read and write, the prompt cache included; one beyond it is stopped.',
    option: {
      flags: '--agent-tokens <tokens>',
      help: 'what all calls of one subagent may read and write; one beyond it is stopped',
    },
  },
  'agents.costUsd': {
    takes: 'dollars',
    preset: undefined,
    about: 'What one subagent may cost, in US dollars from list prices; one beyond it is stopped.',
    option: { flags: '--agent-cost <usd>', help: 'what one subagent may cost; one beyond it is stopped' },
  },

  'recovery.enabled': {
    takes: 'flag',
    preset: true,
    about: 'Start a claude that died again, in the same session.',
    option: { flags: '--no-recovery', help: 'do not restart a claude that died' },
  },
  'recovery.stallAfter': {
    takes: 'duration',
    preset: undefined,
    about:
      'After how long without a line claude is interrupted, ended and started again in the same session; while a tool runs it is not, but the tool is named.',
    option: {
      flags: '--stall-after <duration>',
      help: 'end and restart a claude that has said nothing for this long (15m) while no tool runs',
    },
  },

  'flow.preset': {
    takes: ['lean', 'balanced', 'heavy'],
    preset: undefined,
    about: 'Three sizes at once; those that are given themselves go before it.',
  },
  'flow.contextBudgetChars': {
    takes: 'characters',
    preset: undefined,
    about: 'What a briefing may take, in characters.',
  },
  'flow.historyRecentChars': {
    takes: 'characters',
    preset: undefined,
    about: 'What the output of the newest step, or of a critical one, may take of it, in characters.',
  },
  'flow.historyOlderChars': {
    takes: 'characters',
    preset: undefined,
    about: "What each other step's output may take of it, in characters.",
  },
  'flow.contextBudgetTokens': {
    takes: 'share',
    preset: undefined,
    about: 'In the place of contextBudgetChars: tokens, or a share of the window.',
  },
  'flow.priorities': {
    takes: 'priorities',
    preset: {},
    about: "How much an agent's output counts, in the place of what is built in; in a file only.",
  },
  'flow.curator': {
    takes: 'flag',
    preset: false,
    about: 'Ask a cheap model before each step what matters to it, and have it sum up older steps.',
  },

  'tiers.system': { takes: 'share', preset: 8_000, about: 'For the system prompt and the tools.' },
  'tiers.history': {
    takes: 'share',
    preset: 12_000,
    about: 'For what stands for the past: a summary, a document of a handoff.',
  },
  'tiers.toolResults': { takes: 'share', preset: 40_000, about: 'For the results of tools.' },
  'tiers.response': { takes: 'share', preset: 30_000, about: 'Kept free for the answer.' },
  'tiers.total': { takes: 'share', preset: 100_000, about: 'For all of them.' },

  'tools.mode': {
    takes: ['enforce', 'advise', 'off'],
    preset: 'enforce',
    about: 'A result that is too large is cut and kept in a file, or the agent is only told.',
    option: {
      flags: '--tool-budgets <mode>',
      help: 'enforce: cut results that are too large and keep them in files; advise: only tell the agent; off',
    },
  },
  'tools.perCall': { takes: 'share', preset: 8_000, about: 'What one result may take.' },
  'tools.warnBelow': { takes: 'share', preset: 20_000, about: 'The agent is told when less than this remains.' },
} as const satisfies Table;

/** A key as findings, flags and sources name it: `window`, `thresholds.warn`. Overrides of tools are `ToolKey`s. */
export type KeyPath = keyof typeof KEYS;

/** The names of the keys in their order. */
export const KEY_PATHS = Object.keys(KEYS) as readonly KeyPath[];

/** What a key takes, also the size for one tool; undefined where there is no such key. */
export function takenBy(key: string): Key['takes'] | undefined {
  if (Object.hasOwn(KEYS, key)) return KEYS[key as KeyPath].takes;
  return isToolKey(key) ? 'share' : undefined;
}

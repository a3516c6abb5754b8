import * as v from 'valibot';
import { DEFAULTS } from './defaults.ts';
import {
  anyTokens,
  attempts,
  characters,
  choice,
  dollars,
  dollarsOrOff,
  flag,
  minutes,
  pattern,
  portion,
  prices,
  priorities,
  restoreTokens,
  seconds,
  share,
  text,
  times,
} from './value-schemas.ts';

export const thresholds = v.strictObject({
  warn: v.optional(
    v.pipe(share, v.description('The agent is asked to come to a good stopping point; the zone critical begins here.')),
    DEFAULTS.thresholds.warn,
  ),
  compact: v.optional(
    v.pipe(share, v.description('The context is relieved at the next turn boundary.')),
    DEFAULTS.thresholds.compact,
  ),
  handoff: v.optional(
    v.pipe(
      share,
      v.description('The work is handed over to a fresh context where compaction is off or does not help.'),
    ),
    DEFAULTS.thresholds.handoff,
  ),
  midTurn: v.optional(
    v.pipe(
      share,
      v.description("Where claude's own compaction is placed; never later than 33,000 tokens below the window."),
    ),
    DEFAULTS.thresholds.midTurn,
  ),
});

export const compaction = v.strictObject({
  enabled: v.optional(v.pipe(flag, v.description('Compact at turn boundaries.')), DEFAULTS.compaction.enabled),
  when: v.optional(
    v.pipe(
      choice(['next-prompt', 'boundary']),
      v.description('Compact when a next prompt is waiting, or at once at the turn boundary.'),
    ),
    DEFAULTS.compaction.when,
  ),
  target: v.optional(
    v.pipe(
      share,
      v.description('A compaction should land below this; below it, a crossed threshold counts as never crossed.'),
    ),
    DEFAULTS.compaction.target,
  ),
  timeoutSeconds: v.optional(
    v.pipe(seconds, v.description('How long claude may be silent about a compaction.')),
    DEFAULTS.compaction.timeoutSeconds,
  ),
  maxAttempts: v.optional(
    v.pipe(attempts, v.description('Compactions tried in a row before the context counts as not relieved.')),
    DEFAULTS.compaction.maxAttempts,
  ),
  focus: v.optional(
    v.pipe(
      text,
      v.description(
        'What the summary is to keep; {task} and {state} are filled in, what is unknown is left out with its words.',
      ),
    ),
    DEFAULTS.compaction.focus,
  ),
});

export const midTurn = v.strictObject({
  enabled: v.optional(
    v.pipe(flag, v.description("Place claude's own compaction at thresholds.midTurn.")),
    DEFAULTS.midTurn.enabled,
  ),
  maxCompactions: v.optional(
    v.pipe(
      attempts,
      v.description('Compactions in one turn, each filled again within ten calls, at which it is ended.'),
    ),
    DEFAULTS.midTurn.maxCompactions,
  ),
});

export const memory = v.strictObject({
  enabled: v.optional(
    v.pipe(flag, v.description('Keep notes of the session outside the context.')),
    DEFAULTS.memory.enabled,
  ),
  restoreTokens: v.optional(
    v.pipe(restoreTokens, v.description('How much evidence is handed back after a compaction.')),
    DEFAULTS.memory.restoreTokens,
  ),
  remind: v.optional(
    v.pipe(flag, v.description('Remind the agent once of notes that it has not opened since the compaction.')),
    DEFAULTS.memory.remind,
  ),
  statePattern: v.optional(
    v.pipe(
      pattern,
      v.description(
        'Finds where the work stands in what the agent says, ^ and $ at each line; a named group is what counts.',
      ),
    ),
  ),
  deadEndPattern: v.optional(v.pipe(pattern, v.description('Finds approaches that failed in the same way.'))),
});

export const zones = v.strictObject({
  monitor: v.optional(
    v.pipe(share, v.description('The zone that is only recorded begins here.')),
    DEFAULTS.zones.monitor,
  ),
  warning: v.optional(
    v.pipe(share, v.description('The zone in which large tasks are risky begins here.')),
    DEFAULTS.zones.warning,
  ),
  largeInWarning: v.optional(
    v.pipe(anyTokens, v.description('Estimated tokens above which a prompt is too large in the zone warning.')),
    DEFAULTS.zones.largeInWarning,
  ),
  largeInCritical: v.optional(
    v.pipe(anyTokens, v.description('The same from thresholds.warn on.')),
    DEFAULTS.zones.largeInCritical,
  ),
  onLargeTask: v.optional(
    v.pipe(
      choice(['announce', 'relieve', 'reject']),
      v.description('A prompt that is too large is announced, or the context is relieved first, or it is refused.'),
    ),
    DEFAULTS.zones.onLargeTask,
  ),
  repromptMinutes: v.optional(
    v.pipe(minutes, v.description('After this time above thresholds.warn the agent is asked again to come to a stop.')),
    DEFAULTS.zones.repromptMinutes,
  ),
  tellAgent: v.optional(
    v.pipe(flag, v.description('Tell the agent how full its context is.')),
    DEFAULTS.zones.tellAgent,
  ),
});

export const handoff = v.strictObject({
  enabled: v.optional(
    v.pipe(flag, v.description('Hand the work over to a fresh context when nothing else helps.')),
    DEFAULTS.handoff.enabled,
  ),
  timeoutSeconds: v.optional(
    v.pipe(seconds, v.description("How long the agent's handoff document is awaited.")),
    DEFAULTS.handoff.timeoutSeconds,
  ),
});

export const cost = v.strictObject({
  limitUsd: v.optional(v.pipe(dollars, v.description('What one run may cost, in US dollars.'))),
  projectLimitUsd: v.optional(
    v.pipe(dollars, v.description('What all runs with the same context folder may cost in one period, in US dollars.')),
  ),
  period: v.optional(
    v.pipe(choice(['day', 'month']), v.description('The period of cost.projectLimitUsd, in local time.')),
    DEFAULTS.cost.period,
  ),
  warnAt: v.optional(
    v.pipe(portion, v.description('The share of a limit at which it is announced.')),
    DEFAULTS.cost.warnAt,
  ),
  expiredCacheUsd: v.optional(
    v.pipe(
      dollarsOrOff,
      v.description(
        'A prompt after the prompt cache has expired is announced when that costs so many US dollars more; or "off".',
      ),
    ),
    DEFAULTS.cost.expiredCacheUsd,
  ),
  onLimit: v.optional(
    v.pipe(
      choice(['auto', 'ask', 'wrap-up', 'stop']),
      v.description(
        'At a limit: ask at the terminal, wrap up with one last prompt, or stop; auto: ask where there is a terminal, else wrap up.',
      ),
    ),
    DEFAULTS.cost.onLimit,
  ),
  prices: v.optional(
    v.pipe(
      prices,
      v.description(
        'Prices that are counted with instead of the built-in ones, where claude reports none; cacheWrite, cacheWriteHour and cacheRead follow the input.',
      ),
    ),
    {},
  ),
});

export const recovery = v.strictObject({
  enabled: v.optional(
    v.pipe(flag, v.description('Start a claude that died again, in the same session.')),
    DEFAULTS.recovery.enabled,
  ),
  maxRestarts: v.optional(
    v.pipe(times, v.description('Restarts in a row before it is given up.')),
    DEFAULTS.recovery.maxRestarts,
  ),
});

export const hooks = v.strictObject({
  watchdogSeconds: v.optional(
    v.pipe(seconds, v.description('Then claude goes on without the answer of a hook.')),
    DEFAULTS.hooks.watchdogSeconds,
  ),
});

/** Sizes of briefings, which a flow file has on its own levels too. */
export const budgets = {
  preset: v.exactOptional(
    v.pipe(
      choice(['lean', 'balanced', 'heavy']),
      v.description('Three sizes at once; those that are given themselves go before it.'),
    ),
  ),
  contextBudgetChars: v.exactOptional(v.pipe(characters, v.description('What a briefing may take, in characters.'))),
  historyRecentChars: v.exactOptional(
    v.pipe(
      characters,
      v.description('What the output of the newest step, or of a critical one, may take of it, in characters.'),
    ),
  ),
  historyOlderChars: v.exactOptional(
    v.pipe(characters, v.description("What each other step's output may take of it, in characters.")),
  ),
  contextBudgetTokens: v.exactOptional(
    v.pipe(share, v.description('In the place of contextBudgetChars: tokens, or a share of the window.')),
  ),
};

export const flow = v.strictObject({
  ...budgets,
  priorities: v.optional(
    v.pipe(
      priorities,
      v.description("How much an agent's output counts, in the place of what is built in; in a file only."),
    ),
    {},
  ),
});

export const tiers = v.strictObject({
  system: v.optional(v.pipe(share, v.description('For the system prompt and the tools.')), DEFAULTS.tiers.system),
  history: v.optional(
    v.pipe(share, v.description('For what stands for the past: a summary, a document of a handoff.')),
    DEFAULTS.tiers.history,
  ),
  toolResults: v.optional(v.pipe(share, v.description('For the results of tools.')), DEFAULTS.tiers.toolResults),
  user: v.optional(v.pipe(share, v.description('For what the caller says.')), DEFAULTS.tiers.user),
  response: v.optional(v.pipe(share, v.description('Kept free for the answer.')), DEFAULTS.tiers.response),
  total: v.optional(v.pipe(share, v.description('For all of them.')), DEFAULTS.tiers.total),
});

export const tools = v.objectWithRest(
  {
    mode: v.optional(
      v.pipe(
        choice(['enforce', 'advise', 'off']),
        v.description('A result that is too large is cut and kept in a file, or the agent is only told.'),
      ),
      DEFAULTS.tools.mode,
    ),
    perCall: v.optional(v.pipe(share, v.description('What one result may take.')), DEFAULTS.tools.perCall),
    minTokens: v.optional(
      v.pipe(anyTokens, v.description('A result may always take so many tokens, however full everything is.')),
      DEFAULTS.tools.minTokens,
    ),
    warnBelow: v.optional(
      v.pipe(share, v.description('The agent is told when less than this remains.')),
      DEFAULTS.tools.warnBelow,
    ),
    criticalBelow: v.optional(
      v.pipe(share, v.description('The agent is told again when less than this remains.')),
      DEFAULTS.tools.criticalBelow,
    ),
  },
  v.pipe(
    share,
    v.description("In the place of perCall, by the tool's name, in which * stands for any characters; in a file only."),
  ),
);

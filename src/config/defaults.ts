import type { Config } from './config.ts';

/** What holds where nobody said otherwise. The schema, the help text and the code all read it here. */
export const DEFAULTS: Config = {
  window: undefined,
  thresholds: { warn: 0.7, compact: 0.78, handoff: 0.85, midTurn: 0.88 },
  strategy: 'compact',
  compaction: {
    enabled: true,
    when: 'next-prompt',
    target: 0.5,
    timeoutSeconds: 300,
    maxAttempts: 2,
    focus: 'focus on {task} -- current state is {state}',
  },
  midTurn: { enabled: true },
  task: undefined,
  state: undefined,
  observe: false,
  quiet: false,
  showInjected: false,
  statusLine: 'auto',
  contextDir: '.context',
  memory: { enabled: true, restoreTokens: 1_500, remind: false, statePattern: undefined, deadEndPattern: undefined },
  zones: {
    monitor: 0.3,
    warning: 0.5,
    largeInWarning: 5_000,
    largeInCritical: 2_000,
    onLargeTask: 'announce',
    repromptMinutes: 10,
    tellAgent: true,
  },
  handoff: { enabled: true, timeoutSeconds: 300 },
  cost: { limitUsd: undefined, projectLimitUsd: undefined, period: 'day', warnAt: 0.8, onLimit: 'auto', prices: {} },
  recovery: { enabled: true, maxRestarts: 3 },
  hooks: { watchdogSeconds: 2 },
};

import { EMPTY_COST, restarted } from './cost/cost.ts';
import { NO_SPENDING } from './cost/cost-limit.ts';
import { NO_CACHE } from './cost/prompt-cache.ts';
import { EMPTY_GAUGE } from './gauge/gauge.ts';
import { learnWindow } from './gauge/window.ts';
import { newExact } from './relief/exact.ts';
import { NO_FETCHES } from './relief/missed.ts';
import { NO_RELIEF } from './relief/relief-state.ts';
import { NO_REFILL } from './relief/thrash.ts';
import type { GovernorState, Mailbox, Run, Told } from './state.ts';
import type { ToolBudget } from './tool-budget/tool-budget.ts';
import { NEW_LIFE, NO_STALL } from './waits/waits-state.ts';

/** The state before anything happened. */
export function initialState(run: Run): GovernorState {
  const { window } = run.policy;
  return {
    run,
    now: 0,
    process: { phase: 'running', resumes: run.resumes, restarts: 0 },
    session: NO_SESSION,
    notes: undefined,
    measured: [],
    gauge:
      window === undefined ? EMPTY_GAUGE : { ...EMPTY_GAUGE, window: learnWindow(EMPTY_GAUGE.window, window, 'user') },
    latch: 'none',
    turn: {
      phase: 'idle',
      startedBy: 'prompt',
      ended: 0,
      unprompted: 0,
      growth: { tokens: 0, turns: 0, recent: [] },
      startedAt: 0,
      calls: 0,
      prompts: [],
      last: undefined,
      unheard: [],
    },
    compaction: { phase: 'idle', failures: 0, landing: undefined, triedAt: undefined },
    handoff: { phase: 'idle' },
    relief: { ...NO_RELIEF, landings: run.landings ?? [] },
    exact: newExact(run.mode === 'act' && run.exact === true),
    refill: NO_REFILL,
    fetches: NO_FETCHES,
    summarising: false,
    mailbox: EMPTY_MAILBOX,
    control: {
      phase: 'closed',
      asked: false,
      sent: 0,
      pending: {},
      callbacks: [],
      held: [],
      questions: [],
      initialize: undefined,
    },
    trigger: run.mode !== 'act' || run.callerPlacedTrigger || !run.policy.midTurn.enabled ? 'off' : 'unplaced',
    triggerReason: '',
    tasks: {},
    grace: 'none',
    subagents: {},
    fanOut: { before: 0, countedAt: undefined, asked: [], ended: [], untold: [] },
    toolBudget: NEW_TOOL_BUDGET,
    told: NOTHING_TOLD,
    largeTask: undefined,
    cost: run.resumes ? restarted(EMPTY_COST, 'resumed') : EMPTY_COST,
    cache: NO_CACHE,
    spending: NO_SPENDING,
    limits: { used: {}, hit: undefined, said: [] },
    wait: undefined,
    life: NEW_LIFE,
    stall: NO_STALL,
    input: 'open',
    outcome: undefined,
  };
}

const NO_SESSION: GovernorState['session'] = {
  id: undefined,
  model: undefined,
  version: undefined,
  latestPrompt: undefined,
  state: undefined,
  transcript: undefined,
  commandsOff: false,
};

const EMPTY_MAILBOX: Mailbox = { waiting: [], ended: false, said: [], stopNext: false };

const NOTHING_TOLD: Told = { zone: 'ok', askedAt: undefined, warnings: [] };

const NEW_TOOL_BUDGET: ToolBudget = {
  ignores: [],
  history: 0,
  results: 0,
  agents: {},
  open: {},
  waiting: {},
  repeats: {},
  pages: {},
  hinted: {},
  alerted: 'none',
};

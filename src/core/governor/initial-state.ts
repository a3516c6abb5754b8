import { NO_AGENTS } from './agents/agents-state.ts';
import { costAfterRestart, EMPTY_COST } from './cost/cost.ts';
import { NO_SPENDING } from './cost/cost-limit.ts';
import { NO_CACHE } from './cost/prompt-cache.ts';
import { NO_FACTS } from './facts.ts';
import { EMPTY_GAUGE } from './gauge/gauge.ts';
import { learnWindow } from './gauge/window.ts';
import { IDLE } from './operations/operation.ts';
import { newExact } from './relief/exact.ts';
import { NO_RELIEF } from './relief/relief-state.ts';
import { NO_TOOLS } from './relief/tool-results.ts';
import {
  EMPTY_MAILBOX,
  type GovernorState,
  NEW_CONTROL,
  NEW_PROCESS,
  NEW_TURN,
  NO_SESSION,
  NOTHING_TOLD,
  type Run,
} from './state.ts';
import { NEW_TOOL_BUDGET } from './tool-budget/tool-budget.ts';
import { NEW_LIFE, NO_WAITS } from './waits/waits-state.ts';

export function initialState(run: Run): GovernorState {
  const { window } = run.policy;
  return {
    run,
    now: 0,
    process: { ...NEW_PROCESS, resumes: run.resumes },
    session: NO_SESSION,
    facts: NO_FACTS,
    gauge:
      window === undefined ? EMPTY_GAUGE : { ...EMPTY_GAUGE, window: learnWindow(EMPTY_GAUGE.window, window, 'user') },
    turn: NEW_TURN,
    operation: IDLE,
    relief: NO_RELIEF,
    exact: newExact(run.mode === 'act' && run.exact === true),
    tools: NO_TOOLS,
    mailbox: EMPTY_MAILBOX,
    control: {
      ...NEW_CONTROL,
      trigger: run.mode !== 'act' || run.callerPlacedTrigger || !run.policy.midTurn.enabled ? 'off' : 'unplaced',
    },
    tasks: {},
    agents: NO_AGENTS,
    toolBudget: NEW_TOOL_BUDGET,
    told: NOTHING_TOLD,
    cost: run.resumes ? costAfterRestart(EMPTY_COST, 'resumed') : EMPTY_COST,
    cache: NO_CACHE,
    spending: NO_SPENDING,
    waits: NO_WAITS,
    life: NEW_LIFE,
    input: 'open',
    outcome: undefined,
  };
}

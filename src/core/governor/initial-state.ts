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
  type Run,
} from './state.ts';
import { NEW_TOOL_BUDGET } from './tool-budget/tool-budget.ts';
import { NO_WAITS } from './waits/waits-state.ts';

/** Usual size of the system prompt and the tools, in tokens: from published sessions. Until claude names a session's. */
const USUAL_PREFIX = 33_000;

export function initialState(run: Run): GovernorState {
  const { window } = run.policy;
  const isTriggerOurs = run.mode === 'act' && !run.callerPlacedTrigger && run.policy.midTurn.enabled;
  return {
    run,
    facts: NO_FACTS,
    actions: [],
    session: { ...NO_SESSION, cache: NO_CACHE },
    process: {
      ...NEW_PROCESS,
      resumes: run.resumes,
      control: { ...NEW_CONTROL, trigger: isTriggerOurs ? 'unplaced' : 'off' },
    },
    gauge: {
      ...EMPTY_GAUGE,
      window: learnWindow(EMPTY_GAUGE.window, window ?? 0, 'user'),
      first: run.resumes ? USUAL_PREFIX : undefined,
    },
    turn: NEW_TURN,
    operation: IDLE,
    relief: { ...NO_RELIEF, exact: newExact(run.mode === 'act' && run.exact === true) },
    mailbox: EMPTY_MAILBOX,
    work: { tools: NO_TOOLS, budget: NEW_TOOL_BUDGET, agents: NO_AGENTS, tasks: [] },
    limits: {
      ...NO_SPENDING,
      ...NO_WAITS,
      cost: run.resumes ? costAfterRestart(EMPTY_COST, 'resumed') : EMPTY_COST,
    },
  };
}

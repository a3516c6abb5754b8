import type { Check } from './check.ts';
import { budgetStops } from './checks/budget-stops.ts';
import { clearForgets } from './checks/clear-forgets.ts';
import { commandsOff } from './checks/commands-off.ts';
import { compactEmpty } from './checks/compact-empty.ts';
import { compactFails } from './checks/compact-fails.ts';
import { compactStatus } from './checks/compact-status.ts';
import { compactSucceeds } from './checks/compact-succeeds.ts';
import { contextAsked } from './checks/context-asked.ts';
import { contextOfResumed } from './checks/context-of-resumed.ts';
import { controlChannel } from './checks/control-channel.ts';
import { costAsked } from './checks/cost-asked.ts';
import { costInResult } from './checks/cost-in-result.ts';
import { endOfInput } from './checks/end-of-input.ts';
import { exitCodeOfError } from './checks/exit-code-of-error.ts';
import { hookErrorProceeds } from './checks/hook-error-proceeds.ts';
import { hookPostCompact } from './checks/hook-post-compact.ts';
import { hookPostToolUse } from './checks/hook-post-tool-use.ts';
import { hookPostToolUseFailure } from './checks/hook-post-tool-use-failure.ts';
import { hookPreCompact } from './checks/hook-pre-compact.ts';
import { hookPreToolUse } from './checks/hook-pre-tool-use.ts';
import { hookSessionStart } from './checks/hook-session-start.ts';
import { hookUserPromptSubmit } from './checks/hook-user-prompt-submit.ts';
import { interruptEndsTurn } from './checks/interrupt-ends-turn.ts';
import { oneIdPerCall } from './checks/one-id-per-call.ts';
import { promptInSessionLog } from './checks/prompt-in-session-log.ts';
import { promptTooLong } from './checks/prompt-too-long.ts';
import { promptsTogether } from './checks/prompts-together.ts';
import { replayedPrompt } from './checks/replayed-prompt.ts';
import { resumeAfterKill } from './checks/resume-after-kill.ts';
import { saidInMidTurn } from './checks/said-in-mid-turn.ts';
import { sigtermEnds } from './checks/sigterm-ends.ts';
import { subagentLines } from './checks/subagent-lines.ts';
import { syntheticError } from './checks/synthetic-error.ts';
import { taskStopped } from './checks/task-stopped.ts';
import { triggerMoved } from './checks/trigger-moved.ts';
import { twoWayStream } from './checks/two-way-stream.ts';
import { usagePerCall } from './checks/usage-per-call.ts';
import { windowInResult } from './checks/window-in-result.ts';

/** Every fact that ctxb relies on, in the order in which they are shown. The first is looked at first, alone. */
export const ALL_CHECKS: readonly Check[] = [
  twoWayStream,
  controlChannel,
  endOfInput,
  exitCodeOfError,
  sigtermEnds,
  promptInSessionLog,
  resumeAfterKill,
  replayedPrompt,
  taskStopped,
  usagePerCall,
  oneIdPerCall,
  syntheticError,
  windowInResult,
  contextAsked,
  contextOfResumed,
  compactSucceeds,
  compactStatus,
  compactFails,
  compactEmpty,
  commandsOff,
  clearForgets,
  triggerMoved,
  promptTooLong,
  interruptEndsTurn,
  saidInMidTurn,
  promptsTogether,
  hookUserPromptSubmit,
  hookPreToolUse,
  hookPostToolUse,
  hookPostToolUseFailure,
  hookPreCompact,
  hookSessionStart,
  hookPostCompact,
  hookErrorProceeds,
  subagentLines,
  costInResult,
  costAsked,
  budgetStops,
];

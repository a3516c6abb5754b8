import type { Action } from '../../src/core/governor/decisions.ts';
import {
  boundaryLine,
  callLine,
  type Driver,
  initLine,
  type Line,
  resultLine,
  said,
  statusLine,
  syntheticLine,
} from './governor.ts';

export const WINDOW = 200_000;

/** Lines that claude writes about a `/compact`. */
const VERDICTS = {
  failed: [compacting(), failure('Error during compaction: it broke'), localResult()],
  rejected: [compacting(), failure('API Error: 400 the prompt is no good'), localResult()],
  unavailable: [compacting(), failure('API Error: 529 overloaded'), localResult()],
  empty: [syntheticLine('Error: No messages to compact'), localResult()],
  refused: [initLine(), syntheticLine("/compact isn't available in this environment."), localResult()],
  success: [
    compacting(),
    statusLine({ compact_result: 'success' }),
    initLine(),
    boundaryLine('manual', 160_000),
    localResult(),
  ],
} as const satisfies Record<string, readonly Line[]>;

/** `silent`: nothing comes in time, and claude stops when it is told to. */
export type Verdict = keyof typeof VERDICTS | 'silent';

/** Steps of the ladder at a boundary, in words. */
export const SAY = 'say the prompt';
export const COMPACT = ['compact', 'say /compact'];
export const HANDOFF = ['handoff', 'say the question'];

/** Lines of an attempt to compact, until it is over. */
export function conclude(driver: Driver, verdict: Verdict): readonly Action[] {
  if (verdict !== 'silent') return driver.claude(...VERDICTS[verdict]);
  return [...driver.timeout('operation'), ...driver.claude(localResult())];
}

/** One turn for the sent prompt, with the share of the window at its end. */
export function turn(driver: Driver, at: number): readonly Action[] {
  return driver.claude(initLine(), callLine(at * WINDOW), resultLine());
}

/** The actions as steps of the ladder, in words. */
export function done(actions: readonly Action[], prompt: string): string[] {
  return actions.flatMap((action) => {
    if (action.kind === 'large-task') return [`large-task ${action.todo}`];
    if (action.kind === 'send') return said([action]).map((words) => nameOf(String(words), prompt));
    return ['compact', 'handoff', 'reply', 'end-input', 'ask-person'].includes(action.kind) ? [action.kind] : [];
  });
}

function nameOf(words: string, prompt: string): string {
  if (words === prompt) return SAY;
  if (words.startsWith('/compact')) return 'say /compact';
  if (words.startsWith('Your context ends here')) return 'say the question';
  return words.startsWith('The cost limit of this work') ? 'say the last word' : words;
}

function compacting(): Line {
  return statusLine({ status: 'compacting' });
}

function failure(compact_error: string): Line {
  return statusLine({ compact_result: 'failed', compact_error });
}

function localResult(): Line {
  return resultLine({ num_turns: 0, result: '' });
}

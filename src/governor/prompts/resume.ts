import type { Unfinished } from '../relief/relief-state.ts';
import { decided, type GovernorState } from '../state.ts';
import { chain, keep, type Step } from '../steps.ts';
import { giveBack, requestsIn } from './prompt-words.ts';
import { sayOwn } from './say.ts';

/** Has the agent go on with what was broken off. The caller sees the turn: it is the answer to his request. */
export function resumeWork(state: GovernorState, work: Unfinished): Step {
  const { because, prompts } = work;
  const resumed: GovernorState = { ...state, relief: { ...state.relief, unfinished: undefined, resuming: work } };
  const requests = requestsIn(prompts);
  const opening = requests.length === 1 ? 'The request that it was to answer' : 'The requests that it was to answer';
  const { text, actions } = requests.length === 0 ? NOTHING : giveBack(state, requests, opening);
  const words = [because, text, 'Go on from where the work stands.'].filter((part) => part !== '').join('\n\n');
  return chain(keep(resumed, [...actions, { kind: 'resume', ...decided(state, because) }]), (next) =>
    sayOwn(next, words),
  );
}

const NOTHING = { text: '', actions: [] } as const;

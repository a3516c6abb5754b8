import type { GovernorState } from '../state.ts';
import { keep, type Step } from '../steps.ts';
import { alertAgent } from '../tool-budget/budget-alert.ts';
import { tellAgent } from '../zones/notices.ts';

/** Puts what the agent is to be told of its budget behind the context of an answer, if there is one. */
export function tellWith(step: Step, where: 'prompt' | 'mid-turn'): Step {
  if (!step.actions.some(({ kind }) => kind === 'answer-hook')) return step;
  const { state: told, text } = words(step.state, where);
  if (text === '') return keep(told, step.actions);
  const answers = step.actions.map((action) =>
    action.kind === 'answer-hook'
      ? { ...action, context: [action.context, text].filter(Boolean).join('\n\n') }
      : action,
  );
  return keep(told, answers);
}

function words(state: GovernorState, where: 'prompt' | 'mid-turn') {
  const zone = tellAgent(state, where);
  const alert = state.run.policy.zones.tellAgent ? alertAgent(zone.state) : { state: zone.state, text: '' };
  return { state: alert.state, text: [zone.text, alert.text].filter(Boolean).join(' ') };
}

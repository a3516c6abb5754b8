import { plainText } from '../../protocol/blocks.ts';
import type { Block, Event, UserEvent } from '../../protocol/events.ts';
import { ownOf } from '../../protocol/fields.ts';
import { estimateTokens } from '../gauge/token-estimate.ts';
import type { GovernorState } from '../state.ts';
import { chain, keep, type Step, wasReplaced } from '../steps.ts';
import { charsPerToken, forgetOpen, noteIgnored, remember, withBudget } from './tool-state.ts';

type ToolResult = Extract<Block, { readonly type: 'tool_result' }>;

/** What a line of claude's says about the size of tool results. */
export function followResults(before: GovernorState, state: GovernorState, event: Event): Step {
  if (wasReplaced(before, state, event)) return keep(withBudget(settledTurn(state), EMPTIED));
  if (event.kind === 'result') return keep(withBudget(settledTurn(state), { results: 0, hinted: {} }));
  if (event.kind === 'init') return keep(settledTurn(state));
  if (event.kind !== 'user' || event.replay) return keep(state);
  if (event.role === 'summary' && event.subagent === null) return keep(remembered(state, plainText(event.blocks)));
  // Nobody cuts anything in a recording, and going through all its texts would take longer than all the rest.
  return event.role === 'tool-result' && state.run.mode !== 'replay' ? arrived(state, event) : keep(state);
}

/** Notices are lost with the context that held them. */
const EMPTIED = { history: 0, results: 0, hinted: {}, alerted: 'none' } as const;

/** Between turns no tool of the main thread runs: interrupted calls have no result and need no room. */
function settledTurn(state: GovernorState): GovernorState {
  const open = Object.entries(state.toolBudget.open).filter(([, { agent }]) => agent !== null);
  return withBudget(state, { open: Object.fromEntries(open) });
}

/** What stands for the past in a fresh context: a summary, or a document that was handed over. */
export function remembered(state: GovernorState, text: string): GovernorState {
  return withBudget(state, { history: estimateTokens(text, charsPerToken(state)) });
}

function arrived(state: GovernorState, { blocks, subagent }: UserEvent): Step {
  const results = blocks.filter((block) => block.type === 'tool_result');
  const counts = results.map((result) => (next: GovernorState) => count(next, result, subagent === null));
  return chain(keep(state), ...counts);
}

function count(state: GovernorState, result: ToolResult, isMain: boolean): Step {
  const { open, results, agents } = state.toolBudget;
  const own = ownOf(open, result.toolUseId);
  if (own === undefined && !isMain) return keep(state);
  const tokens = estimateTokens(result.text, charsPerToken(state));
  const agent = own?.agent ?? null;
  const settled = forgetOpen(state, result.toolUseId);
  const counted = withBudget(
    settled,
    agent === null
      ? { results: results + tokens }
      : { agents: remember(agents, agent, (ownOf(agents, agent) ?? 0) + tokens) },
  );
  // What is not shown on the stream has not reached the model.
  return isTaken(own?.proof, result) ? keep(counted) : noteIgnored(counted, 'output');
}

/** Of a result that claude has stored itself, because it is still large, the stream shows only the beginning. */
function isTaken(proof: string | undefined, { text, isError }: ToolResult): boolean {
  return proof === undefined || isError || text.includes(proof) || text.startsWith('<persisted-output>');
}

import { hasCalled, isAgentCall, isEstimated } from '../../core/governor/agents/agents.ts';
import { toUsd } from '../../core/governor/cost/cost.ts';
import { isMainMessage } from '../../core/governor/facts.ts';
import { estimateTokens, measureContent } from '../../core/governor/gauge/estimator.ts';
import type { Input } from '../../core/governor/input.ts';
import { promptsInTurn } from '../../core/governor/prompts/mailbox.ts';
import type { GovernorState } from '../../core/governor/state.ts';
import { textsOf, wordsOf } from '../../core/protocol/blocks.ts';
import { fieldsOf, textOf } from '../../core/protocol/fields.ts';
import { type Cutter, LINE_LENGTH, LONG_LINE_LENGTH } from '../../core/text/words.ts';
import type { RecordedPrompt } from '../recorded-items.ts';
import { createToolUses, type ObservedLine, timeIn } from './observer.ts';

export function createPrompts(cut: Cutter, keepAll: boolean) {
  let first: string | null = null;
  const all: RecordedPrompt[] = [];
  /** By uuid: index in `all` of each prompt that a run has received but not yet sent to claude. */
  const pendingPrompts = new Map<string, number>();

  /** Assigns a waiting prompt to the turn that it was sent in. */
  function place({ line, before, after }: ObservedLine): void {
    if (pendingPrompts.size === 0 || after.mailbox.prompts === before.mailbox.prompts) return;
    for (const { uuid } of promptsInTurn(after)) {
      const at = pendingPrompts.get(uuid) ?? -1;
      const prompt = all[at];
      if (prompt !== undefined) all[at] = { ...prompt, turn: after.turn.ended + 1, line };
      pendingPrompts.delete(uuid);
    }
  }

  function add({ line, input, after }: ObservedLine): void {
    const { event } = input;
    if (!isMainMessage(event, 'prompt') || event.isReplay) return;
    first ??= cut(wordsOf(event.blocks), LINE_LENGTH) || null;
    if (!keepAll) return;
    if (input.from === 'caller' && event.uuid !== undefined) pendingPrompts.set(event.uuid, all.length);
    all.push({
      turn: after.turn.ended + 1,
      line,
      t: timeIn(input),
      text: cut(wordsOf(event.blocks), LONG_LINE_LENGTH),
      tokens: estimateTokens(measureContent(event.blocks), after.gauge.calibration),
    });
  }

  return {
    see(seen: ObservedLine): void {
      add(seen);
      place(seen);
    },
    first: () => first,
    all: (): readonly RecordedPrompt[] => all,
  };
}

interface SubagentBegun {
  /** Its task on one line, masked; null if the recording does not contain it. */
  readonly task: string | null;
  /** Time of its first line in milliseconds since the epoch; null if the recording has no times. */
  readonly t: number | null;
  /**
   * Number of main-thread calls before the subagent. In session logs, all of them, because the agent's own file comes
   * last.
   */
  readonly call: number;
}

export function createSubagents(cut: Cutter) {
  const startedAgents = new Map<string, SubagentBegun>();
  const uses = createToolUses(({ name, input }) =>
    isAgentCall(name) ? textOf(fieldsOf(input).subagent_type) : undefined,
  );
  /** Kinds of subagents by id. For background subagents, the usual ones, claude's log has no other source. */
  const kinds = new Map<string, string>();

  function observeKind({ event }: Input): void {
    if (event.kind === 'assistant') event.blocks.forEach(uses.see);
    if (event.kind !== 'user') return;
    const id = textOf(fieldsOf(event.toolReport).agentId);
    if (id === undefined) return;
    const [kind] = event.blocks.flatMap((block) => uses.of(block) ?? []);
    if (kind !== undefined) kinds.set(id, kind);
  }

  return {
    see({ input, after }: ObservedLine): void {
      const { event } = input;
      observeKind(input);
      if (!('subagent' in event) || event.subagent === null || startedAgents.has(event.subagent)) return;
      const task = event.kind === 'user' ? cut(textsOf(event.blocks), LINE_LENGTH) : null;
      startedAgents.set(event.subagent, { task, t: timeIn(input), call: after.gauge.calls });
    },
    found: (agents: GovernorState['work']['agents']['all']) =>
      Object.values(agents)
        .filter(hasCalled)
        .map((agent) => {
          /** `tokens`: the usage of all calls, including the prompt cache. */
          const { id, peak, calls, tokens, microUsd } = agent;
          /** For instance `general-purpose`; null if unknown. */
          const kind = agent.kind ?? kinds.get(id) ?? null;
          /** Cost at list prices in US dollars; null if no price is known. */
          const usd = microUsd > 0 || tokens === 0 ? toUsd(microUsd) : null;
          // Estimated from claude's count of its context, if the recording lacks its calls, or the last one.
          return { id, kind, peak, calls, tokens, usd, estimated: isEstimated(agent), ...startedAgents.get(id) };
        }),
  };
}

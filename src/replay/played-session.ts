import { createMessage, toolResultBlock, toolUseBlock } from '../core/exact/message.ts';
import { isMessage } from '../core/governor/facts.ts';
import { estimateTokens, measureBlock } from '../core/governor/gauge/estimator.ts';
import type { Policy } from '../core/governor/policy.ts';
import { SUMMARY_TOKENS } from '../core/governor/relief/call-cost.ts';
import { CALL_TOKENS } from '../core/governor/relief/economic-moment.ts';
import { isHandingOver } from '../core/governor/steps.ts';
import { plainText, resultsIn, usesIn } from '../core/protocol/blocks.ts';
import { decodeObject } from '../core/protocol/decode.ts';
import type { AssistantEvent, UserEvent } from '../core/protocol/events.ts';
import { contextOf, type Usage } from '../core/protocol/usage.ts';
import { sumOf } from '../core/text/sum-of.ts';
import { createGovernedSession } from './governed.ts';
import type { FetchedResult } from './model-view.ts';
import type { CallBegun } from './observers/calls.ts';
import type { ObservedLine } from './observers/observer.ts';
import { type BilledCall, createTally, type PriceOf } from './tally.ts';
import { wordsIn } from './words-used.ts';

/** A session as recorded, and as estimated with ctxb. */
export interface SessionWhatIf extends Omit<ReturnType<ReturnType<typeof createPlayedSession>['found']>, 'curve'> {
  /** The context of each call with ctxb, if the series was requested. */
  readonly curve?: readonly number[];
}

/** A call of the main thread as recorded, and what came before it. */
interface Step {
  readonly call: CallBegun;
  readonly previous: CallBegun | undefined;
  /** One entry for each compaction or handoff: true if it was exact, false if a call wrote a summary or a document. */
  readonly reliefs: readonly boolean[];
  /** All of its lines. */
  readonly answer: AssistantEvent;
}

/** A drop by more than this share of the context, without a compaction, is a new context. */
const FRESH_SHARE = 0.5;

/** Plays a recorded session again with ctxb: the same calls, whose contexts grow by as much as in the recording. */
export function createPlayedSession(policy: Policy, resumes: boolean, window: () => number, priceOf: PriceOf) {
  const [actual, ctxb] = [createTally(priceOf), createTally(priceOf)];
  const governed = createGovernedSession(policy, resumes, window, onReplaced);
  const curve: number[] = [];
  let [before, estimated, fetched] = [0, 0, 0];
  /** Compactions since the last call, and the summaries among them. */
  let [reliefs, summaries] = [0, 0];

  function onReplaced(isExact: boolean): void {
    reliefs++;
    if (!isExact) summaries++;
  }

  /** The context before compactions; undefined for a new one. */
  function contextBefore({ call, previous, reliefs: recorded }: Step): number | undefined {
    if (previous === undefined) return undefined;
    if (recorded.length > 0) return before + addedTokens(call);
    if (call.context < previous.context * FRESH_SHARE) return undefined;
    const growth = call.context - previous.context;
    // If claude removed content without a compaction, at least the recorded context stays.
    return growth < 0 ? Math.max(before + growth, Math.min(before, call.context)) : before + growth;
  }

  /** The input after compactions, and after the calls that fetch what they removed. */
  function relievedInput(step: Step, full: number): Input {
    const { call, answer } = step;
    governed.compactIfFull(full);
    for (; summaries > 0; summaries--) ctxb.add(summaryCall(call, { context: before, output: 0 }));
    let context = reliefs > 0 ? Math.min(full, governed.size) : full;
    let cached = reliefs > 0 ? Math.min(governed.prefix, call.cacheRead) : Math.round(before * cachedShare(step));
    for (const word of new Set(answer.blocks.flatMap(wordsIn))) {
      const found = governed.missing(word);
      if (found === undefined) continue;
      const usage = { ...inputOf(call, context, cached), output: CALL_TOKENS };
      ctxb.add({ ...usage, model: call.model });
      cached = context;
      context += fetch({ ...answer, usage }, found);
    }
    return inputOf(call, context, cached);
  }

  /** A call that fetches a result again. @returns the tokens of both */
  function fetch(line: AssistantEvent, { use: known, text }: FetchedResult): number {
    const id = `again-${curve.length}-${++fetched}`;
    const result = { tool_use_id: id, text };
    hearAnswer({ ...line, messageId: id, hasFinalOutput: true, blocks: [toolUseBlock({ ...known, tool_use_id: id })] });
    const content = [{ type: 'tool_result', tool_use_id: id, content: text }];
    hearUser(decodeObject({ type: 'user', message: { role: 'user', content } }) as UserEvent);
    return CALL_TOKENS + estimateTokens(measureBlock(toolResultBlock(result)), governed.calibration);
  }

  function hearAnswer(answer: AssistantEvent): void {
    governed.claude(answer);
    const toolUses = usesIn(answer.blocks).map(({ id, name, input }) => ({ tool_use_id: id, tool: name, input }));
    const text = plainText(answer.blocks);
    if (text !== '' || toolUses.length > 0) governed.say(createMessage('assistant', text, { toolUses }));
  }

  function hearUser(event: UserEvent): void {
    if (event.role === 'summary') return;
    if (event.role === 'prompt') governed.prompt(plainText(event.blocks));
    else governed.claude(event);
    for (const { toolUseId, text, isError } of resultsIn(event.blocks)) {
      const result = { tool_use_id: toolUseId, text, isError, result: event.toolReport };
      governed.say(createMessage('user', '', { toolResults: [result] }));
    }
    const text = plainText(event.blocks);
    if (text !== '') governed.say(createMessage('user', text));
  }

  return {
    call(step: Step): void {
      const { call, previous, answer } = step;
      governed.at(call.t ?? 0);
      governed.beginTurn();
      for (const isExact of step.reliefs) if (!isExact) actual.add(summaryCall(call, previous));
      if (step.reliefs.length > 0) estimated++;
      const full = contextBefore(step);
      const recorded: BilledCall = { ...call, output: call.billedOutput };
      actual.called(recorded, step.reliefs.length);
      const usage = full === undefined ? recorded : { ...recorded, ...relievedInput(step, full) };
      ctxb.called(usage, reliefs);
      reliefs = 0;
      before = contextOf(usage);
      curve.push(before);
      hearAnswer({ ...answer, usage: { ...usage, output: answer.usage?.output ?? 0 } });
    },
    /** Handles a line that belongs to no call. */
    seeLine({ input: { t, event }, before: recorded, after: { facts } }: ObservedLine): void {
      governed.at(t);
      if (facts.replaced && facts.replaced !== 'boundary' && !isHandingOver(recorded)) governed.renew();
      if (event.kind === 'result') governed.endTurn();
      if (event.kind === 'user' && isMessage(event)) hearUser(event);
      else if ('subagent' in event && event.subagent !== null) governed.claude(event);
    },
    found: () => ({
      actual: actual.figures(),
      ctxb: ctxb.figures(),
      /** Number of results fetched again with ctxb, each by a call of its own. */
      fetched,
      /** Number of main-thread calls; `estimated` of them follow a replaced context, so their growth is an estimate. */
      calls: curve.length,
      estimated,
      curve,
    }),
  };
}

/** Share of the previous context that was still cached; 1 if unknown. */
function cachedShare({ call, previous, reliefs }: Step): number {
  const context = previous?.context ?? 0;
  return context > 0 && reliefs.length === 0 ? call.cacheRead / context : 1;
}

/** A summary call reads the whole previous context. */
function summaryCall({ model, added }: CallBegun, previous?: Pick<CallBegun, 'context' | 'output'>): BilledCall {
  const { context = 0, output: cacheCreation = 0 } = previous ?? {};
  return { model, input: 0, cacheCreation, cacheRead: context, output: added.summary || SUMMARY_TOKENS };
}

/** Estimated tokens added before a call, without the summary. */
function addedTokens({ added }: CallBegun): number {
  return sumOf(Object.entries(added), ([source, tokens]) => (source === 'summary' ? 0 : tokens));
}

type Input = Omit<Usage, 'output'>;

/** The input of a call with another context. @param cache its tokens that are cached */
function inputOf(call: CallBegun, context: number, cache: number): Input {
  const cacheRead = Math.min(context, cache);
  const rest = context - cacheRead;
  const input = call.cacheCreation === 0 ? rest : Math.min(call.input, rest);
  // Keep the recorded share of cache writes with a lifetime of an hour.
  const share = call.cacheCreation > 0 ? (call.cacheCreationHour ?? 0) / call.cacheCreation : 0;
  const cacheCreation = rest - input;
  return { input, cacheCreation, cacheCreationHour: Math.round(cacheCreation * share), cacheRead };
}

import type { Block } from '../../protocol/block.ts';
import type { AssistantEvent, Event, InitEvent, ResultEvent, UserEvent } from '../../protocol/events.ts';
import { COMMANDS_OFF } from '../../protocol/failures.ts';
import { fieldsOf, textOf } from '../../protocol/fields.ts';
import { modelName } from '../../protocol/model-name.ts';
import { contextOf, hasNoInput } from '../../protocol/usage.ts';
import { isAnswer } from '../facts.ts';
import { type Content, measureContent, NO_CONTENT } from '../gauge/estimator.ts';
import {
  addCall,
  addToContext,
  changedGauge,
  emptyContext,
  endThoughts,
  extendCall,
  type Gauge,
  isCharactersOnly,
  predictedTokens,
  withFinalOutput,
  withReading,
} from '../gauge/gauge.ts';
import { isAlias, learnWindowOf, useWindowOf } from '../gauge/model-windows.ts';
import { addBlocks } from '../gauge/token-estimate.ts';
import {
  type ContextWindow,
  LARGE_WINDOW,
  learnFromModelId,
  learnWindow,
  mainWindow,
  markedFamily,
  UNKNOWN_WINDOW,
  windowIn,
} from '../gauge/window.ts';
import { promptsInTurn } from '../prompts/mailbox.ts';
import type { GovernorState } from '../state.ts';
import { changed, changedIn, isAnsweringUs } from '../steps.ts';

/** Updates the size of the main thread's context after a line. @param content size of the line's blocks */
export function readContext(state: GovernorState, event: Event, content: Content): GovernorState {
  switch (event.kind) {
    case 'assistant':
    case 'user':
      return withGauge(state, readMessage(state, event, content));
    case 'partial':
      if (event.subagent !== null || event.outputTokens === undefined) return state;
      return withGauge(state, withFinalOutput(state.gauge, event.outputTokens));
    case 'init':
      return readInit(state, event);
    case 'result':
      return readTurnEnd(state, event);
    case 'boundary':
      return withEmptyContext(state, event.postTokens ?? 0);
    case 'reset':
      return withEmptyContext(state, 0);
    default:
      return state;
  }
}

/** The gauge after an assistant or user message. @param content size of the message's blocks */
export function readMessage(state: GovernorState, event: AssistantEvent | UserEvent, content: Content): Gauge {
  if (event.subagent !== null) return state.gauge;
  const gauge = event.kind === 'user' ? readUser(state.gauge, event, content) : readAssistant(state, event, content);
  return state.run.mode === 'replay' ? withMark(gauge, event) : gauge;
}

export function readPrompt(state: GovernorState, event: UserEvent): GovernorState {
  return withGauge(state, readUser(state.gauge, event, measureContent(event.blocks)));
}

function withGauge(state: GovernorState, gauge: Gauge): GovernorState {
  return gauge === state.gauge ? state : changed(state, { gauge });
}

function withEmptyContext(state: GovernorState, keptTokens: number): GovernorState {
  return changed(changedIn(state, 'relief', { latch: 'none' }), { gauge: emptyContext(state.gauge, keptTokens) });
}

function readAssistant(state: GovernorState, event: AssistantEvent, generated: Content): Gauge {
  const { gauge, session } = state;
  const { usage, messageId, model, hasFinalOutput } = event;
  if (event.isSynthetic || (usage !== undefined && hasNoInput(usage))) return gauge;
  // Each line without a message id counts as a call.
  const isSame = messageId !== '' && gauge.call?.messageId === messageId;
  if (usage === undefined) return isSame ? extendCall(gauge, { generated }) : addToContext(gauge, generated);
  const auxiliaryCall = isSame ? null : auxiliaryModelOf(gauge, event, session.model);
  if (auxiliaryCall !== null)
    return auxiliaryCall === gauge.auxiliaryCall ? gauge : changedGauge(gauge, { auxiliaryCall });
  const own = useWindowOf(gauge, model);
  const known = withWindow(own, recordedWindow(state, event, learnFromModelId(own.window, model)));
  const figures = { messageId, model, usage, outputKnown: hasFinalOutput, generated };
  return isSame ? extendCall(known, figures) : addCall(known, figures);
}

/** Applies the mark of a large window in a log line about the model, from the next call on. */
function withMark(gauge: Gauge, event: AssistantEvent | UserEvent): Gauge {
  const family = markedFamily(event);
  if (family === undefined || family === gauge.markedFamily) return gauge;
  const isFromMark = gauge.markedFamily !== '' && gauge.window.source === 'model-id';
  const window = isFromMark ? UNKNOWN_WINDOW : gauge.window;
  return changedGauge(gauge, { markedFamily: family, window });
}

/** The window of a model by its name and claude's version, if no line contains the window. */
function recordedWindow(
  { session, run, gauge }: GovernorState,
  event: AssistantEvent,
  known: ContextWindow,
): ContextWindow {
  const { markedFamily: family } = gauge;
  if (family !== '' && event.model?.includes(family)) return learnWindow(known, LARGE_WINDOW, 'model-id');
  if (run.mode === 'act' || known.tokens !== undefined) return known;
  const listedWindow = windowIn(event.version ?? session.version, event.model, false) ?? 0;
  // In a live session, the agent is told the window. So only the large window is assumed, which is never too small.
  return run.mode === 'replay' || listedWindow === LARGE_WINDOW ? learnWindow(known, listedWindow, 'version') : known;
}

function withWindow(gauge: Gauge, window: Gauge['window']): Gauge {
  return window === gauge.window ? gauge : changedGauge(gauge, { window });
}

/**
 * Recognizes a call that claude makes for itself: by another model, with less than half of the context. After a switch
 * of the model the context stays, and `init` or a second call names the new model.
 */
function auxiliaryModelOf(gauge: Gauge, { model, messageId, usage }: AssistantEvent, named: string | undefined) {
  const { auxiliaryCall, call, used } = gauge;
  if (model === undefined || call?.model === undefined || usage === undefined) return null;
  if (model === call.model || model === named || contextOf(usage) >= used / 2) return null;
  if (auxiliaryCall?.model === model) return auxiliaryCall.messageId === messageId ? auxiliaryCall : null;
  return { messageId, model };
}

function readUser(gauge: Gauge, event: UserEvent, content: Content): Gauge {
  // A summary counts with the boundary before it, and a repeated message with its original line.
  if (event.role === 'summary' || event.isReplay) return gauge;
  if (!isCharactersOnly(gauge)) {
    const before = event.role === 'prompt' ? endThoughts(gauge) : gauge;
    return addToContext(readReport(before, event), content);
  }
  const characters = addBlocks(gauge.characters, event.blocks);
  // Besides the prompt, the first call has the system prompt and the tools.
  const withText = changedGauge(addToContext(gauge, content), { characters });
  // A tool has run after a call without usage, so this stream reports no usage.
  const gaugeAfter = event.role === 'tool-result' ? settleCharacters(withText) : withText;
  return readReport(gaugeAfter, event);
}

function settleCharacters(gauge: Gauge): Gauge {
  // A stream with only a result has no characters to count.
  if (predictedTokens(gauge) === 0) return gauge;
  return changedGauge(gauge, { basis: 'estimated', used: predictedTokens(gauge) });
}

/** Reads a size report in text. It counts only if claude reports no usage. */
function readReport(gauge: Gauge, event: UserEvent): Gauge {
  if (gauge.calls > 0 || event.role === 'tool-result') return gauge;
  const report = readTextReport(event.blocks);
  if (report === undefined) return gauge;
  const window = learnWindow(gauge.window, report.window, 'reported');
  return withReading(withWindow(gauge, window), report.used, 'reported');
}

function readInit(state: GovernorState, event: InitEvent): GovernorState {
  const { session } = state;
  const isNewSession = session.id !== undefined && event.sessionId !== undefined && event.sessionId !== session.id;
  const switched = session.model !== undefined && event.model !== undefined && event.model !== session.model;
  // In the stream, a new session id means that the conversation was cleared (2.1.197 reports it in no other way).
  const current = isNewSession ? withEmptyContext(state, 0) : state;
  const own = useWindowOf(current.gauge, event.model);
  // The same model can return with another window.
  const mayKeep = !switched || own.window.source === 'user';
  const named = learnFromModelId(mayKeep ? own.window : UNKNOWN_WINDOW, event.model);
  const listed =
    state.run.mode === 'replay' ? windowIn(event.version ?? session.version, event.model, true) : undefined;
  const window = learnWindow(named, listed ?? 0, 'version');
  return changed(current, { gauge: withWindow(own, window) });
}

function readTurnEnd(state: GovernorState, event: ResultEvent): GovernorState {
  // 1.0.128 reports the caller's `/clear` in no other way.
  const wasCleared = state.turn.calls === 0 && promptsInTurn(state).at(-1)?.command === 'clear';
  if (wasCleared && !COMMANDS_OFF.test(event.text ?? '')) return withEmptyContext(state, 0);
  return withGauge(state, readResult(state, event));
}

function readResult(state: GovernorState, event: ResultEvent): Gauge {
  const gauge = learnWindows(state.gauge, event.windows, state.session.model);
  const finalCall = state.turn.calls === 0 && !isAnsweringUs(state) ? lastCall(event, gauge.window) : undefined;
  if (finalCall !== undefined) {
    const call = { messageId: event.uuid ?? '', model: undefined, usage: finalCall, outputKnown: true };
    return addCall(gauge, { ...call, generated: NO_CONTENT });
  }
  if (isCharactersOnly(gauge)) return settleCharacters(gauge);
  if (event.lastIteration !== undefined) return withFinalOutput(gauge, event.lastIteration.output);
  // The usage of a turn with one call is the usage of that call.
  return state.turn.calls === 1 && event.usage !== undefined ? withFinalOutput(gauge, event.usage.output) : gauge;
}

/** Reads the windows of all models, including subagents', from a result. @param main the session's model */
function learnWindows(gauge: Gauge, windows: ResultEvent['windows'], main: string | undefined): Gauge {
  const isMain = main !== undefined && (gauge.windowModel ?? modelName(main)) === modelName(main);
  const named = mainWindow(windows, isMain ? main : gauge.windowModel);
  const current = named ?? (isAlias(gauge, main) ? mainWindow(windows, main) : undefined);
  const own = current === undefined ? gauge : learnWindowOf(gauge, undefined, current, 'result');
  return Object.entries(windows)
    .filter(([id]) => own.windowModel !== undefined && modelName(id) !== own.windowModel)
    .reduce((next, [id, tokens]) => learnWindowOf(next, id, tokens, 'result'), own);
}

/**
 * The last call of a result if the stream has no calls, as with `--output-format json`. The newest versions report that
 * call. Otherwise the total usage is the size of the context after one call only. Without a number of turns, the usage
 * counts as one call if it fits into the reported window.
 */
function lastCall({ usage, lastIteration, numTurns }: ResultEvent, { tokens = 0, source }: ContextWindow) {
  if (usage === undefined || hasNoInput(usage)) return undefined;
  if (lastIteration !== undefined && !hasNoInput(lastIteration)) return lastIteration;
  const isLone = numTurns === undefined ? source !== 'result' || contextOf(usage) <= tokens : numTurns === 1;
  return isLone ? usage : undefined;
}

export function readSession(state: GovernorState, event: Event): GovernorState {
  const { session } = state;
  switch (event.kind) {
    case 'init':
      return changedIn(state, 'session', {
        id: event.sessionId ?? session.id,
        model: event.model ?? session.model,
        version: event.version ?? session.version,
        setup: { tools: event.tools, servers: event.servers },
      });
    case 'assistant':
    case 'user':
      return changed(state, { session: sessionIn(session, event) });
    // claude can compact a resumed session before its init line. Requests to ctxb's hooks contain the session id.
    case 'control-request': {
      const { session_id, transcript_path } = fieldsOf(event.request.input);
      const known = { id: textOf(session_id), transcript: textOf(transcript_path) };
      return changed(state, { session: mergeSession(session, known) });
    }
    default:
      return state;
  }
}

type Session = GovernorState['session'];

/** The session after a message. Session logs have no init line, but each line has id, model and version. */
export function sessionIn(session: Session, event: AssistantEvent | UserEvent): Session {
  const model = isAnswer(event) ? event.model : undefined;
  return mergeSession(session, { id: event.sessionId, model, version: event.version });
}

function mergeSession(session: Session, update: Partial<Session>): Session {
  const id = session.id ?? update.id;
  const model = session.model ?? update.model;
  const version = session.version ?? update.version;
  const transcript = update.transcript ?? session.transcript;
  const isNews = id !== session.id || model !== session.model || version !== session.version;
  return isNews || transcript !== session.transcript ? { ...session, id, model, version, transcript } : session;
}

const REMINDER = /<system-reminder>([\s\S]*?)<\/system-reminder>/g;
const USAGE_LINE = /Token usage: (\d+)\/(\d+); \d+ remaining/;
const CONTEXT_LINE = /Context: \d+(?:\.\d+)?% \((\d+)\/(\d+) tokens\)/;

/**
 * The last size report in the system reminders of text blocks. Results of tools do not count, because they can imitate
 * a reminder.
 */
function readTextReport(blocks: readonly Block[]) {
  return blocks
    .flatMap((block) => (block.type === 'text' ? [...block.text.matchAll(REMINDER)] : []))
    .map((reminder) => parseReport(reminder[1] ?? ''))
    .findLast((report) => report !== undefined);
}

function parseReport(text: string) {
  const match = USAGE_LINE.exec(text) ?? CONTEXT_LINE.exec(text);
  if (!match) return undefined;
  const [used, window] = [Number(match[1]), Number(match[2])];
  return window > 0 ? { used, window } : undefined;
}

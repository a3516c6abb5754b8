import { createCallIdentity } from '../../core/governor/call-identity.ts';
import { readMessage, sessionIn } from '../../core/governor/conversation/readings.ts';
import { type Cost, readCost } from '../../core/governor/cost/cost.ts';
import { factsOf, REPEAT_FACTS } from '../../core/governor/facts.ts';
import { measureNatively, NO_CONTENT } from '../../core/governor/gauge/estimator.ts';
import { emptyContext } from '../../core/governor/gauge/gauge.ts';
import { initialState } from '../../core/governor/initial-state.ts';
import { countRepeat, isRepeat, updateExact } from '../../core/governor/relief/exact.ts';
import type { ExactState } from '../../core/governor/relief/relief-state.ts';
import type { GovernorState, Run } from '../../core/governor/state.ts';
import { type Draft, draftOf } from '../../core/governor/steps.ts';
import type { Event } from '../../core/protocol/events.ts';
import { cutterWith, type Mask } from '../../core/text/words.ts';
import { createFigures } from '../figures.ts';
import { reportedAgent } from '../observers/unlogged-agents.ts';
import type { ReadLine, Row } from '../read/line-feed.ts';
import { eventOf, type RowParts } from '../read/row-parts.ts';
import type { RecordedCompaction } from '../recorded-items.ts';
import type { SessionFigures } from '../summary.ts';
import { answerIn, createUsualCalls } from './usual-calls.ts';

/** Kinds of events in a session log. Any other kind requires a full replay. */
const LIGHT_KINDS: ReadonlySet<Event['kind']> = new Set([
  'assistant',
  'user',
  'boundary',
  // Only the number and time of the others matter.
  'known',
  'unknown',
  'malformed',
  'api-retry',
  'mode',
]);

/** The kinds that affect more than the number and the time of the lines. */
const MESSAGE_KINDS: ReadonlySet<Event['kind']> = new Set(['assistant', 'user', 'boundary']);

/** The parts of a state that a light replay changes, as mutable copies. */
type LightState = Draft & { relief: { exact: ExactState }; limits: { cost: Cost } };

function lightState(state: GovernorState): LightState {
  return { ...draftOf(state), relief: { ...state.relief }, limits: { ...state.limits } };
}

/** Computes the figures of a session log line by line, without running the governor. */
export function createLightReplay({ run, mask }: { readonly run: Run; readonly mask: Mask }) {
  const figures = createFigures(cutterWith(mask), { prompts: false, usage: false });
  const calls = createCallIdentity();
  // Mutated for each row, because copying a state takes longer than reading a row.
  const initial = initialState(run);
  const [before, state] = [lightState(initial), lightState(initial)];
  const usual = createUsualCalls(state, figures.count);
  let isLog = true;

  function endUsual(): void {
    const last = usual.end();
    if (last === undefined) return;
    feed(last.t, eventOf(last.row), last.row);
    if (last.isAnswered) calls.answered('');
  }

  /** @param row the line, if it was decoded without parsing */
  function feed(t: number, said: Event, row?: ReadLine): void {
    if (!MESSAGE_KINDS.has(said.kind)) {
      figures.pass(t);
      return;
    }
    endUsual();
    const event = calls.identified(said);
    if (needsOnlyTime(state, event)) figures.pass(t);
    else {
      before.gauge = state.gauge;
      before.limits.cost = state.limits.cost;
      before.session = state.session;
      before.relief.exact = state.relief.exact;
      const isRepeated = isRepeat(state, event);
      if (isRepeated) state.relief.exact = countRepeat(state).relief.exact;
      else readLightly(state, event);
      state.facts = isRepeated ? REPEAT_FACTS : factsOf(event, before, state);
      figures.see({ line: figures.at, input: { t, from: 'claude', event }, before, after: state });
      usual.begin(areResultsUnused(state) ? row : undefined);
    }
  }

  function feedUsual(row: RowParts): void {
    const answer = answerIn(row, state.session.id);
    const t = figures.timeOf(row, answer);
    if (t === undefined) return;
    if (usual.take(row, answer, t)) figures.pass(t);
    else feed(t, eventOf(row), row);
  }

  function pass({ answers }: Row, t: number): void {
    if (answers !== undefined) calls.answered(answers);
    if (answers === '') usual.answered();
    figures.pass(t);
  }

  return {
    /** Whether the recording may still be a session log; otherwise it needs a full replay. */
    get isLog() {
      return isLog;
    },
    /** Whether tool results currently have no effect on the figures. */
    areResultsUnused: () => isLog && figures.dialect === 'session' && areResultsUnused(state),
    /** Whether neither tool results nor prompts currently have an effect on the figures. */
    areTextsUnused: () => isLog && areResultsUnused(state) && state.gauge.calls > 0 && figures.prompt() !== null,
    line(read: ReadLine): void {
      if (usual.has(read)) {
        feedUsual(read);
        return;
      }
      const line = figures.read(read);
      if (line.kind === 'run' || line.kind === 'decided' || figures.dialect === 'stream') isLog = false;
      if (!isLog) return;
      if (line.kind === 'unread') pass(line.row, line.t);
      if (line.kind !== 'input') return;
      const { input } = line;
      if (input.from !== 'claude' || !LIGHT_KINDS.has(input.event.kind)) isLog = false;
      else feed(input.t, input.event, read);
    },
    /** Returns undefined if the recording is not a session log. */
    found(file: string): SessionFigures | undefined {
      if (!isLog || figures.dialect !== 'session') return undefined;
      endUsual();
      return { ...figures.found(file, state), compactions: figures.compactions().map(compactionFigures) };
    },
  };
}

/** Whether only the time of a message matters. */
function needsOnlyTime(state: GovernorState, event: Event): boolean {
  const isResult = event.kind === 'user' && event.role === 'tool-result';
  return isResult && areResultsUnused(state) && reportedAgent(event) === undefined;
}

function areResultsUnused({ session, relief: { exact } }: GovernorState): boolean {
  return exact.repeats === 0 && session.id !== undefined && session.version !== undefined;
}

/** Updates calls, contexts and costs with a line. @param state is mutated */
function readLightly(state: LightState, event: Event): void {
  if (event.kind === 'boundary') state.gauge = emptyContext(state.gauge, event.postTokens ?? 0);
  if (event.kind === 'assistant' || event.kind === 'user') {
    const written = event.kind === 'assistant' ? measureNatively(event.blocks) : NO_CONTENT;
    const { prices } = state.run.policy.cost;
    const list = { prices, version: state.session.version, isRecording: true };
    state.limits.cost = readCost(state.limits.cost, event, list, written);
    state.gauge = readMessage(state, event, written);
    state.session = sessionIn(state.session, event);
  }
  if (event.kind === 'boundary' || state.relief.exact.repeats > 0)
    state.relief.exact = updateExact(state, event).relief.exact;
}

/** Omits the fields that only a full replay computes. */
function compactionFigures({
  how: _,
  line: __,
  gaugeBefore: ___,
  firstAfter: ____,
  ...compaction
}: RecordedCompaction) {
  return compaction;
}

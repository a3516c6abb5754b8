import { createCallIdentity } from '../../core/governor/call-identity.ts';
import { readContext, readSession } from '../../core/governor/conversation/readings.ts';
import { readCost } from '../../core/governor/cost/cost.ts';
import { measureNatively, NO_CONTENT } from '../../core/governor/gauge/estimator.ts';
import { initialState } from '../../core/governor/initial-state.ts';
import { afterEcho, followExact, isEcho } from '../../core/governor/relief/exact.ts';
import type { GovernorState, Run } from '../../core/governor/state.ts';
import { changed } from '../../core/governor/steps.ts';
import { cutterWith, type Mask } from '../../core/memory/words.ts';
import type { Event } from '../../core/protocol/events.ts';
import { createFigures } from '../figures.ts';
import type { CompactionSeen, CountedCall } from '../items-seen.ts';
import type { ReadLine } from '../read/line-feed.ts';
import type { SessionFigures } from '../summary.ts';

/** What a session log is made of. Anything else takes the whole judgement. */
const LIGHT: ReadonlySet<Event['kind']> = new Set([
  ...(['assistant', 'user', 'boundary', 'known', 'unknown', 'malformed', 'api-retry', 'mode'] as const),
]);

/** Of these nothing but their time and their number counts. */
const MEANINGLESS: ReadonlySet<Event['kind']> = new Set(['known', 'unknown', 'malformed', 'api-retry', 'mode']);

/** Finds the figures of a session log line by line, without judging it. */
export function createLightReplay({ run, mask }: { readonly run: Run; readonly mask: Mask }) {
  const figures = createFigures(cutterWith(mask), false);
  const calls = createCallIdentity();
  let state = initialState(run);
  let isLog = true;

  function feed(t: number, said: Event): void {
    const event = calls.identified(said);
    const before = state;
    if (isQuiet(before, event)) {
      figures.pass(t);
      return;
    }
    state = stepLightly(before, event);
    figures.see({ line: figures.at, input: { t, from: 'claude', event }, before, after: state });
  }

  return {
    /** It is a session log as far as it was read; else it has to be replayed. */
    get isLog() {
      return isLog;
    },
    line(read: ReadLine): void {
      const line = figures.read(read);
      if (line.kind === 'run' || line.kind === 'decided' || figures.dialect === 'stream') isLog = false;
      if (line.kind !== 'input' || !isLog) return;
      const { input } = line;
      if (input.from !== 'claude' || !LIGHT.has(input.event.kind)) isLog = false;
      else feed(input.t, input.event);
    },
    /** undefined: it was none. */
    found(file: string): SessionFigures | undefined {
      if (!isLog || figures.dialect !== 'session') return undefined;
      return {
        ...figures.found(file, state),
        ledger: figures.ledger().map(ledgerCall),
        compactions: figures.compactions().map(compactionFigures),
      };
    },
  };
}

/** Only its time counts. */
function isQuiet({ session, exact }: GovernorState, event: Event): boolean {
  if (event.kind !== 'user') return MEANINGLESS.has(event.kind);
  const isResult = event.role === 'tool-result' && event.blocks.every(({ type }) => type === 'tool_result');
  return isResult && exact.echoes === 0 && session.id !== undefined && session.version !== undefined;
}

/** What a line says of calls, contexts and costs. */
function stepLightly(before: GovernorState, event: Event): GovernorState {
  if (isEcho(before, event)) return afterEcho(before);
  const written = event.kind === 'assistant' ? measureNatively(event.blocks) : NO_CONTENT;
  const { prices } = before.run.policy.cost;
  const list = { prices, version: before.session.version, isLimiting: false, isRecording: true };
  const cost = readCost(before.cost, event, list, written);
  const priced = cost === before.cost ? before : changed(before, { cost });
  return followExact(readSession(readContext(priced, event, written), event), event).state;
}

/** Without what it has written, which here is not known where the log does not tell it. */
function ledgerCall({ usage: _, ...call }: CountedCall) {
  return call;
}

/** Without what only the whole judgement knows. */
function compactionFigures({ how: _, line: __, gaugeBefore: ___, firstAfter: ____, ...compaction }: CompactionSeen) {
  return compaction;
}

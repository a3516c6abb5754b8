import { setTimeout as delay } from 'node:timers/promises';
import recording from '../../fixtures/demo/recording.json' with { type: 'json' };
import { DEFAULTS } from '../config/defaults.ts';
import { visibilityOf } from '../core/governor/conversation/visibility.ts';
import { isDecision } from '../core/governor/decisions.ts';
import type { RecordLine } from '../core/governor/record.ts';
import type { GovernorState } from '../core/governor/state.ts';
import type { Judged } from '../host/governor-host.ts';
import type { Io } from '../io.ts';
import { styleFor } from '../report/style.ts';
import { createTerminal } from '../report/terminal/terminal.ts';
import type { Sighting } from './facts.ts';
import { playRecord } from './facts.ts';
import type { DemoRun } from './live-run.ts';
import type { Screen } from './screen.ts';

/** The recorded run, and what its stand-in saw. */
const RUN: DemoRun = {
  exitCode: 0,
  interrupted: false,
  record: recording.record as readonly RecordLine[],
  seen: recording.seen as readonly Sighting[],
};

/** The longest pause between two lines, in milliseconds: a program's start is not worth watching. */
const LONGEST_PAUSE_MS = 600;

/** Plays the recording at its own pace, with its notices. */
export async function playRecorded(screen: Screen, { stderr, env }: Pick<Io, 'stderr' | 'env'>): Promise<DemoRun> {
  const style = await styleFor(stderr, env);
  const terminal = createTerminal({ stderr, style, quiet: false, statusLine: DEFAULTS.statusLine });
  let time = RUN.record[0]?.t ?? 0;
  let last: GovernorState | undefined;
  for (const played of playRecord(RUN.record)) {
    await delay(Math.min(LONGEST_PAUSE_MS, Math.max(0, played.input.t - time)));
    time = played.input.t;
    if (isVisible(played)) {
      terminal.clear();
      screen.show(played.input.event);
    }
    for (const action of played.actions) {
      if (isDecision(action)) terminal.decision(action);
    }
    terminal.status(played.after);
    last = played.after;
  }
  if (last !== undefined) terminal.ended({ ...last, session: { ...last.session, notes: undefined } });
  return RUN;
}

function isVisible(played: Judged): played is Judged & { input: { from: 'claude' } } {
  return played.input.from === 'claude' && visibilityOf(played.before, played.input.event) === 'show';
}

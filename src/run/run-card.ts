import { resolve } from 'node:path';
import { endReason, type RunEnding, standingOf } from '../core/governor/standing.ts';
import type { GovernorState } from '../core/governor/state.ts';
import { processMark } from '../store/files/process-mark.ts';
import { createRunCard, type RunCard } from '../store/runs/run-cards.ts';

/** Milliseconds between two versions of a card, at least. */
const PAUSE_MS = 1_000;

interface CardPlace {
  /** The user's state folder; undefined without a home folder. */
  readonly state: string | undefined;
  readonly cwd: string;
  readonly contextDir: string;
  readonly now: () => number;
}

/** Keeps the card up to date that `ctxb runs` shows of this run. */
export function keepRunCard({ state: folder, cwd, contextDir, now }: CardPlace, first: GovernorState) {
  const { runId } = first.run;
  const write = createRunCard(folder, runId);
  const place = {
    version: 1,
    runId,
    cwd,
    contextDir: resolve(cwd, contextDir),
    ctxb: processMark(process.pid),
  } as const;
  const since = now();
  let latest = first;
  let [compactions, handoffs] = [0, 0];
  let timer: NodeJS.Timeout | undefined;
  const cardOf = (end: RunCard['end']): RunCard => ({
    ...{ ...place, since, at: now(), ...standingOf(latest), compactions, handoffs, end },
    ...(end === null ? {} : { phase: 'ended', waitsFor: null }),
  });
  write(cardOf(null));
  return {
    /** Told of each state; the card follows within a second. */
    see(before: GovernorState, state: GovernorState): void {
      if (state.relief.boundaries !== before.relief.boundaries) compactions++;
      if (state.relief.handed?.call !== before.relief.handed?.call) handoffs++;
      latest = state;
      timer ??= setTimeout(() => {
        timer = undefined;
        write(cardOf(null));
      }, PAUSE_MS).unref();
    },
    end(state: GovernorState, ending: RunEnding): void {
      clearTimeout(timer);
      latest = state;
      write(cardOf({ reason: endReason(state, ending), exitCode: ending.exitCode }));
    },
  };
}

import type { HookAnswer } from '../core/governor/effects.ts';
import type { Input, OwnEvent } from '../core/governor/input.ts';
import { createMemory } from '../core/memory/memory.ts';
import type { Event } from '../core/protocol/events.ts';
import { createNoteTaker } from '../run/notes.ts';
import type { Faults } from '../store/files/store-error.ts';
import { redact } from '../store/masks/redact.ts';
import type { Inbox } from '../store/runs/inbox.ts';
import type { HookHost } from './hook-host.ts';

export interface HookNotesWorld {
  /** The context folder, absolute. */
  readonly folder: string;
  readonly now: () => number;
  readonly onFault: Faults;
  readonly notice: (text: string) => void;
}

/** Hooks have no inbox. */
const NO_INBOX: Inbox = { path: '', drain: () => [], dispose: () => {} };

const LOST: HookAnswer = { kind: 'answer-hook', requestId: '', hook: 'SessionStart', output: {}, recall: 'lost' };

export type HookNotes = ReturnType<typeof openHookNotes>;

/** Opens the notes of a session while one hook is at work, and reads what earlier hooks have noted. */
export function openHookNotes(host: HookHost, { folder, now, onFault, notice }: HookNotesWorld) {
  const { run } = host.state;
  const memory = createMemory({ run, mask: redact });
  const taker = createNoteTaker({
    memory,
    run,
    folder,
    inbox: NO_INBOX,
    now,
    onFault,
    notice,
    turnsFlushed: host.state.turn.ended,
  });

  function observe(input: Input): void {
    taker.see(input, host.state);
    const { decisions, tell } = taker.note();
    // The log shows the first request after a compaction when what was handed back is forgotten: PostCompact is told then.
    for (const decision of decisions) if (decision.kind !== 'receipt') host.decide(decision);
    for (const event of tell) own(event);
  }

  function own(event: OwnEvent): void {
    host.own(event);
    observe({ t: now(), from: 'ctxb', event });
  }

  observe({ t: now(), from: 'ctxb', event: { kind: 'begin' } });

  return {
    observe: (event: Event) => observe({ t: now(), from: 'claude', event }),
    /** Completes the answer to a hook. */
    answer(hook: HookAnswer): object {
      const { output, decisions } = taker.answer(hook, host.state);
      for (const decision of decisions) host.decide(decision);
      return output;
    },
    /** A compaction has told its summary, and no hook comes before the next request in its turn. */
    summarised(event: Event): void {
      observe({ t: now(), from: 'claude', event });
      for (const decision of memory.sent(host.state)) host.decide(decision);
    },
    /** What was handed back after a compaction, and what its summary held, is known again. */
    recall(context: string | undefined, summary: Event | undefined): void {
      taker.answer({ ...LOST, ...(context !== undefined && { context }) }, host.state);
      if (summary !== undefined) taker.see({ t: now(), from: 'claude', event: summary }, host.state);
      taker.note();
    },
    /** Brings all of them up to date. */
    close: () => taker.close(host.state),
  };
}

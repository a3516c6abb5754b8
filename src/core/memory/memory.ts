import { isOfSubagent } from '../governor/control/hook-callbacks.ts';
import type { Decision } from '../governor/decisions.ts';
import { type HookAnswer, hookOutput } from '../governor/effects.ts';
import { isMainMessage, isMessage } from '../governor/facts.ts';
import { SMALL_WINDOW } from '../governor/gauge/window.ts';
import type { Input } from '../governor/input.ts';
import { inTokens } from '../governor/policy.ts';
import { promptsInTurn } from '../governor/prompts/mailbox.ts';
import type { GovernorState, Run } from '../governor/state.ts';
import { decided } from '../governor/steps.ts';
import { plainText, textsOf } from '../protocol/blocks.ts';
import type { Event } from '../protocol/events.ts';
import { fieldsOf, textOf } from '../protocol/fields.ts';
import type { Mask } from '../text/words.ts';
import type { Entry } from './entry.ts';
import { type Answered, createHandBack } from './hand-back/hand-back.ts';
import { missingFrom } from './hand-back/recall.ts';
import { createRecentMessages } from './hand-back/receipts.ts';
import { renderHandoff } from './handoff/render-handoff.ts';
import { createEntrySource } from './make-entry.ts';
import { createNotebook, type Page } from './notebook/notebook.ts';
import { renderIndex } from './notebook/render-index.ts';

export interface Remembered {
  readonly entries: readonly Entry[];
  readonly pages: readonly Page[];
  readonly decisions: readonly Decision[];
}

const NOTHING_NEW: Remembered = { entries: [], pages: [], decisions: [] };

export type Memory = ReturnType<typeof createMemory>;

/** Records facts and hands them back. Mutable, but a replay of a recording makes the same notes and decisions. */
export function createMemory({ run, mask }: { readonly run: Run; readonly mask: Mask }) {
  const source = createEntrySource({ live: true, mask });
  // The window may become known later. The log keeps its size, a share of the smallest window.
  const notebook = createNotebook(inTokens(run.policy.tiers.history, run.policy.window ?? SMALL_WINDOW));
  const summaryIn = createSummaryReader();
  const recent = createRecentMessages();
  let folder = run.contextDir;
  let isOpen = false;
  const waiting: Input[] = [];
  const handBack = createHandBack(notebook, () => folder);

  function note(inputs: readonly Input[], state: GovernorState): Remembered {
    const decisions: Decision[] = [];
    const pages: Page[] = [];
    const entries = inputs.flatMap((input) => {
      const found = source.add(input, state);
      decisions.push(...followRelief(input, state));
      for (const entry of found) pages.push(...noteEntry(entry, state, decisions));
      return found;
    });
    return { entries, pages, decisions };
  }

  function noteEntry(entry: Entry, state: GovernorState, decisions: Decision[]): readonly Page[] {
    if (entry.kind === 'state' && entry.what === 'handoff') handBack.relieved('handoff', []);
    const { pages, found } = notebook.add(entry);
    for (const { cause, text, count, evidence } of found)
      decisions.push(decided(state, 'dead-end', cause, { cause, text, count, evidence }));
    return pages;
  }

  /** Collects the texts of a fresh context until its first request is sent. */
  function followRelief(input: Input, state: GovernorState): Decision[] {
    const summary = summaryIn(input);
    if (summary !== undefined) handBack.summary(summary);
    const { event } = input;
    if (event.kind === 'exact-receipt' && event.receipt.answered) handBack.relieved('compaction', event.kept);
    return input.from === 'claude' ? followClaude(input.event, state) : [];
  }

  function followClaude(event: Event, state: GovernorState): Decision[] {
    if (event.kind === 'boundary') handBack.relieved('compaction', recent.textsOf(event.kept));
    if (event.kind === 'compact-status' && event.phase === 'failed') handBack.failed();
    if (!isMessage(event)) return [];
    recent.add(event);
    if (event.kind === 'assistant') return event.synthetic ? [] : handBack.sent(state);
    if (event.role === 'prompt' || event.role === 'notice') handBack.holds(plainText(event.blocks));
    return [];
  }

  function headOf(state: GovernorState) {
    const { task, state: work } = run.policy;
    return {
      session: state.session.id ?? run.runId,
      task: task && mask(task),
      state: notebook.state ?? (work && mask(work)),
    };
  }

  return {
    /** Queues inputs until an event names the folder of the notes; an empty name means no files. */
    add(input: Input, state: GovernorState): Remembered {
      const { event } = input;
      if (event.kind === 'earlier') {
        // This program wrote the log, and the reader checks its lines.
        const entry = event.entry as unknown as Entry;
        source.earlier(entry);
        return { ...NOTHING_NEW, pages: notebook.add(entry).pages };
      }
      if (event.kind === 'notes') {
        folder = event.path;
        isOpen = true;
        // These arrived before the notes of an earlier run were read.
        return note(waiting.splice(0), state);
      }
      if (state.facts.isEcho) return NOTHING_NEW;
      if (isOpen) return note([input], state);
      waiting.push(input);
      return NOTHING_NEW;
    },
    answer: (hook: HookAnswer, state: GovernorState): Answered =>
      isOpen ? handBack.answer(hook, state) : { output: hookOutput(hook, hook.context), decisions: [] },
    /** Reports that the first request after a relief was sent, for hosts that do not see claude's answers. */
    sent: handBack.sent,
    exactNote: handBack.note,
    index(state: GovernorState, t: number): string {
      const { task = notebook.requests.latest, ...head } = headOf(state);
      return renderIndex(notebook, { ...head, task, updated: t, folder });
    },
    /** Text of the tool log; undefined while it is empty. */
    toolLog: () => (notebook.toolLog.total === 0 ? undefined : notebook.toolLog.render()),
    /** @param inWork prompts in progress */
    handoff: (state: GovernorState, t: number, inWork = promptsInTurn(state)): string =>
      renderHandoff(notebook, {
        ...headOf(state),
        firstPrompt: notebook.firstPrompt,
        running: inWork.map(({ event }) => mask(textsOf(event.blocks))),
        folder,
        t,
      }),
    /** Notes that a handoff document lacks, in at most `room` UTF-16 units. */
    missingFrom: (document: string, room: number): string => missingFrom(document, notebook, folder, room),
    outcomeOf: notebook.evidence.outcomeOf,
    /** Number of prompts, without slash commands. */
    said: () => notebook.requests.prompts().length,
  };
}

/** Reads a summary from the hook or from its line, whichever comes first. An exact compaction has no summary. */
function createSummaryReader(): (input: Input) => string | undefined {
  let isKnown = false;
  return ({ from, event }) => {
    if (from !== 'claude') return undefined;
    if (event.kind === 'control-request') {
      const summary = isOfSubagent(event) ? undefined : textOf(fieldsOf(event.request.input).compact_summary);
      isKnown ||= summary !== undefined;
      return summary || undefined;
    }
    if (!isMainMessage(event, 'summary')) return undefined;
    const summary = isKnown ? undefined : plainText(event.blocks);
    isKnown = false;
    return summary;
  };
}

import type { Decision } from '../governor/decisions.ts';
import { type HookAnswer, hookOutput } from '../governor/effects.ts';
import { SMALL_WINDOW } from '../governor/gauge/window.ts';
import type { Input } from '../governor/input.ts';
import { planInTokens } from '../governor/policy.ts';
import { promptsInTurn } from '../governor/prompts/mailbox.ts';
import type { GovernorState, Run } from '../governor/state.ts';
import { decisionOf } from '../governor/steps.ts';
import { textsOf } from '../protocol/blocks.ts';
import type { Mask } from '../text/words.ts';
import type { Entry } from './entry.ts';
import { createHandBack, type HookReply } from './hand-back/hand-back.ts';
import { missingSection } from './hand-back/recall.ts';
import { createReceipts, factsOf } from './hand-back/receipts.ts';
import { renderHandoff } from './handoff/render-handoff.ts';
import { createEntrySource } from './make-entry.ts';
import { createNotebook, type Page } from './notebook/notebook.ts';
import { renderIndex } from './notebook/render-index.ts';

export interface MemoryUpdate {
  readonly entries: readonly Entry[];
  readonly pages: readonly Page[];
  readonly decisions: readonly Decision[];
}

export type Memory = ReturnType<typeof createMemory>;

/** Records facts and hands them back. Mutable, but a replay of a recording makes the same notes and decisions. */
export function createMemory({ run, mask }: { readonly run: Run; readonly mask: Mask }) {
  // The window may become known later, but the log keeps its size: a share of the smallest window.
  const notebook = createNotebook(planInTokens(run.policy.tiers.total, run.policy.window ?? SMALL_WINDOW).history);
  const source = createEntrySource({ isLive: true, mask });
  const receipts = createReceipts(() => factsOf(notebook));
  let folder = run.contextDir;
  let isOpen = false;
  const waiting: Input[] = [];
  const handBack = createHandBack(notebook, receipts, () => folder);

  function note(inputs: readonly Input[], state: GovernorState): MemoryUpdate {
    const decisions: Decision[] = [];
    const pages: Page[] = [];
    const entries = inputs.flatMap((input) => {
      const found = source.add(input, state);
      const receipt = receipts.add(input);
      if (receipt !== undefined) {
        const reason = `the fresh context after the ${receipt.relief}`;
        decisions.push(decisionOf(state, 'receipt', reason, { ...receipt }));
      }
      for (const entry of found) pages.push(...noteEntry(entry, state, decisions));
      return found;
    });
    return { entries, pages, decisions };
  }

  function noteEntry(entry: Entry, state: GovernorState, decisions: Decision[]): readonly Page[] {
    if (entry.kind === 'state' && entry.what === 'handoff') receipts.relieved('handoff', []);
    const { pages, found } = notebook.add(entry);
    for (const { cause, text, count, evidence } of found)
      decisions.push(decisionOf(state, 'dead-end', cause, { cause, text, count, evidence }));
    return pages;
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
    add(input: Input, state: GovernorState): MemoryUpdate {
      const { event } = input;
      if (event.kind === 'earlier') {
        // This program wrote the log, and the reader checks its lines.
        const entry = event.entry as unknown as Entry;
        source.earlier(entry);
        return { entries: [], pages: notebook.add(entry).pages, decisions: [] };
      }
      if (event.kind === 'notes') {
        folder = event.path;
        isOpen = true;
      } else if (!state.facts.isRepeat) waiting.push(input);
      if (isOpen) folder = state.session.notes ?? folder;
      // Inputs that arrived before the notes of an earlier run were read are noted after those.
      return note(isOpen ? waiting.splice(0) : [], state);
    },
    answer: (hook: HookAnswer, state: GovernorState): HookReply =>
      isOpen ? handBack.answer(hook, state) : { output: hookOutput(hook, hook.context), decisions: [] },
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
        running: inWork.map(({ event }) => mask(textsOf(event.blocks))),
        folder,
        t,
      }),
    /** Notes that a handoff document lacks, in at most `room` UTF-16 units. */
    missingFrom: (document: string, room: number): string => missingSection(document, notebook, folder, room),
    outcomeOf: notebook.evidence.outcomeOf,
    /** Number of prompts, without slash commands. */
    said: () => notebook.requests.prompts().length,
  };
}

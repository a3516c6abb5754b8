import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { OwnEvent } from '../governor/input.ts';
import { HANDOFF_SECTIONS } from '../governor/relief/handoff-request.ts';
import type { GovernorState } from '../governor/state.ts';
import { checkHandoff, type Problem } from '../memory/handoff/check-handoff.ts';
import { type HandoffHead, writeHandoffFile } from '../memory/handoff/handoff-file.ts';
import type { Memory } from '../memory/memory.ts';
import type { Faults } from '../store/files/store-error.ts';
import { redact } from '../store/masks/redact.ts';
import { type WrittenHandoff, writeHandoff } from '../store/sessions/handoffs.ts';
import type { WriteHandoff } from './executor.ts';

interface HandoffWriterWorld {
  /** What is known without the agent. */
  readonly memory: Pick<Memory, 'handoff' | 'outcomeOf'>;
  /** Working folder of claude, to which relative paths in the document belong. */
  readonly cwd: string;
  /** The user's home, which `~` stands for. */
  readonly home: string | undefined;
  /** Folder of ctxb's files, absolute, and as the agent is to name it. */
  readonly root: string;
  readonly contextDir: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly onFault: Faults;
}

/** Checks what the agent answered and writes it beside what is known without it; says what came of it. */
type HandoffWriter = (effect: WriteHandoff, state: GovernorState) => OwnEvent;

export function createHandoffWriter(world: HandoffWriterWorld): HandoffWriter {
  const { memory, cwd } = world;

  function problemsOf(answer: string): Problem[] {
    return checkHandoff(answer, {
      exists: (path) => existsSync(resolve(cwd, path.replace(/^~(?=\/)/, world.home ?? '~'))),
      outcomeOf: memory.outcomeOf,
    });
  }

  /** A full disk must not keep the fresh context from its document. */
  function write(document: string | undefined, mechanical: string): WrittenHandoff | undefined {
    try {
      return writeHandoff(world.root, { t: world.now(), document, memory: mechanical });
    } catch (error) {
      world.onFault('the handoff is not written down', error);
      return undefined;
    }
  }

  function document(
    usable: string | undefined,
    problems: readonly string[],
    reason: string,
    state: GovernorState,
  ): OwnEvent {
    const t = world.now();
    const mechanical = memory.handoff(state, t);
    const head = { reason, t, checks: problems };
    const written = write(
      usable && writeHandoffFile(headOf(state, { ...head, by: 'agent' }), usable),
      writeHandoffFile(headOf(state, { ...head, by: 'memory', checks: [] }), mechanical),
    );
    const nameOf = (path: string) => join(world.contextDir, relative(world.root, path));
    const path = written && nameOf(written.path);
    const notes = written && usable && nameOf(written.memoryPath);
    // What was wrong with an answer that is not used says nothing about the notes.
    const doubts = usable === undefined ? [] : problems;
    const text = toHandOver(redact(usable ?? mechanical), { path, notes, problems: doubts });
    return { kind: 'handoff-written', path, text, by: usable === undefined ? 'memory' : 'agent', problems };
  }

  return ({ answer, mayAskAgain, reason }, state) => {
    const found = answer === undefined ? [] : problemsOf(answer);
    const problems = found.map(({ text }) => text);
    if (mayAskAgain && problems.length > 0) return { kind: 'handoff-problems', problems };
    return document(isDocument(found) ? answer : undefined, problems, reason, state);
  };
}

/** An answer that has at least half of the sections is worth more than none. */
function isDocument(problems: readonly Problem[]): boolean {
  const missing = problems.filter(({ kind }) => kind === 'missing section' || kind === 'empty section');
  return missing.length <= HANDOFF_SECTIONS.length / 2;
}

function headOf(
  { session, run, relief, handoff, gauge }: GovernorState,
  head: Pick<HandoffHead, 'reason' | 't' | 'by' | 'checks'>,
): HandoffHead {
  const before = 'plan' in handoff ? handoff.plan.before : relief.landing;
  const tokens = before?.predicted ?? null;
  return { version: 1, session: session.id ?? run.runId, tokens, window: gauge.window.tokens ?? null, ...head };
}

interface Whereabouts {
  readonly path: string | undefined;
  /** The mechanical notes beside the agent's document. */
  readonly notes: string | undefined;
  readonly problems: readonly string[];
}

/** What the fresh context begins with. */
function toHandOver(document: string, { path, notes, problems }: Whereabouts): string {
  const where = path === undefined ? '' : ` It is kept in ${path}.`;
  const more = notes === undefined ? '' : ` What was noted mechanically is in ${notes}.`;
  const wrong = problems.slice(0, 5).map((problem) => `- ${problem}`);
  const doubts = wrong.length === 0 ? [] : [`Checked by ctxb, this does not hold:\n${wrong.join('\n')}`.slice(0, 500)];
  return [
    `The context before this one was full, and its work goes on here. This is its handoff document.${where}${more}`,
    ...doubts,
    givenText(document, path),
  ].join('\n\n');
}

/** UTF-16 units of a document that are handed over; claude takes 9,000 of a hook's text whole. */
const GIVEN_LENGTH = 7_900;

/** A document as a hook can give it to the agent: whole, or its beginning and where the rest is. */
export function givenText(document: string, path: string | undefined): string {
  if (document.length <= GIVEN_LENGTH) return document;
  const part = document.slice(0, GIVEN_LENGTH).replace(/[\ud800-\udbff]$/, '');
  return `${part}\n\n[${part.length} of ${document.length} characters; read ${path ?? 'the file'} for the rest]`;
}

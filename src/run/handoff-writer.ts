import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { EffectOf } from '../core/governor/effects.ts';
import type { OwnEvent } from '../core/governor/input.ts';
import { HANDOFF_SECTIONS } from '../core/governor/relief/handoff-request.ts';
import type { GovernorState } from '../core/governor/state.ts';
import { checkHandoff, type HandoffProblem } from '../core/memory/handoff/check-handoff.ts';
import { type HandoffHead, renderHandoffFile } from '../core/memory/handoff/handoff-file.ts';
import { cutUnits } from '../core/text/words.ts';
import type { CwdAndEnv } from '../io.ts';
import { tryOrReport } from '../store/files/store-error.ts';
import { redact } from '../store/masks/redact.ts';
import { writeHandoff } from '../store/sessions/sessions.ts';
import type { RunFiles } from './run-files.ts';

/** Writes the agent's answer if it is usable, else the mechanical handoff. */
export function createHandoffWriter(io: CwdAndEnv, { folder, memory, faults }: RunFiles) {
  return ({ answer, reason }: EffectOf<'write-handoff'>, state: GovernorState): OwnEvent => {
    const { run, session } = state;
    const exists = (path: string) =>
      existsSync(resolve(session.folder ?? io.cwd, path.replace(/^~(?=\/)/, io.env.HOME ?? '~')));
    const found = answer === undefined ? [] : checkHandoff(answer, { exists, outcomeOf: memory.outcomeOf });
    const problems = found.map(({ text }) => text);
    const usable = isDocument(found) ? answer : undefined;
    const t = Date.now();
    const by = usable === undefined ? 'memory' : 'agent';
    const document = usable ?? memory.handoff(state, t);
    // Problems of a rejected answer do not concern the mechanical document.
    const checks = usable === undefined ? [] : problems;
    const completed = joinParts(document.trim(), memory.missingFrom(document, COMPLETION_ROOM));
    const file = renderHandoffFile(headOf(state, { reason, t, checks, by }), completed);
    // On a full disk, the fresh context still gets the document.
    const path = tryOrReport(faults, 'the handoff is not written down', () =>
      join(run.contextDir, relative(folder, writeHandoff(folder, t, file))),
    );
    const missing = (room: number) => redact(memory.missingFrom(document, room));
    return { kind: 'handoff-written', path, text: startingText(redact(document), missing, path, checks), by, problems };
  };
}

/** Whether an answer has at least half of the sections, so that it is better than the mechanical document. */
function isDocument(problems: readonly HandoffProblem[]): boolean {
  const missing = problems.filter(({ kind }) => kind === 'missing section' || kind === 'empty section');
  return missing.length <= HANDOFF_SECTIONS.length / 2;
}

function headOf(
  { session, run, relief, operation, gauge }: GovernorState,
  head: Pick<HandoffHead, 'reason' | 't' | 'by' | 'checks'>,
): HandoffHead {
  const before = 'plan' in operation ? operation.plan.before : relief.unmeasured?.before;
  const tokens = before?.predicted ?? null;
  return { version: 1, session: session.id ?? run.runId, tokens, window: gauge.window.tokens ?? null, ...head };
}

/** Maximum UTF-16 units that claude accepts from a hook, and of the completion in the file. */
const HANDOFF_LENGTH = 8_900;
const COMPLETION_ROOM = 20_000;

/** UTF-16 units reserved for the completion; a long document is cut instead. */
const MISSING_ROOM = 6_000;

/** The text that the fresh context begins with: an opening, the document, and facts missing from it. */
function startingText(
  document: string,
  missing: (room: number) => string,
  path: string | undefined,
  problems: readonly string[],
): string {
  const wrong = problems.slice(0, 5).map((problem) => `- ${problem}`);
  const doubts = wrong.length === 0 ? [] : [`Checked by ctxb, this does not hold:\n${wrong.join('\n')}`.slice(0, 500)];
  const head = joinParts(opening(path), ...doubts);
  const room = Math.max(MISSING_ROOM, HANDOFF_LENGTH - head.length - MAX_CUT_NOTE);
  const added = missing(Math.max(room - document.length, MISSING_ROOM));
  return joinParts(head, givenText(document, path, room - added.length), added);
}

function opening(path: string | undefined): string {
  const where = path === undefined ? '' : ` It is kept in ${path}.`;
  return `The context before this one was full, and its work continues here. This is its handoff document.${where}`;
}

function joinParts(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Maximum UTF-16 units of a repeated document, and of the note about its omitted part. */
const MAX_GIVEN = 7_900;
const MAX_CUT_NOTE = 300;

export function handoffPrompt(document: string, path: string): string {
  return joinParts(opening(path), givenText(document, path, MAX_GIVEN));
}

function givenText(document: string, path: string | undefined, room: number): string {
  if (document.length <= room) return document;
  const part = cutUnits(document, room);
  return `${part}\n\n[${part.length} of ${document.length} characters; read ${path ?? 'the file'} for the rest]`;
}

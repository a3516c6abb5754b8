import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { contextFolder } from '../config/resolve-config.ts';
import type { AskAnswer } from '../core/governor/effects.ts';
import type { OutsideRequest } from '../core/governor/input.ts';
import { fieldsOf, stringOf } from '../core/protocol/fields.ts';
import { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import { counted, percent, tokens } from '../report/figures.ts';
import { onOneLine, printable, tell } from '../report/printable.ts';
import { stateText } from '../report/runs-table.ts';
import { realPath } from '../store/files/plain-file.ts';
import { stateFolder } from '../store/folders/user-folders.ts';
import { maskedJson } from '../store/masks/disk-text.ts';
import { inboxPath, leaveInInbox, takeAnswer } from '../store/runs/inbox.ts';
import { type RunCard, readRunCard, readRunCards } from '../store/runs/run-cards.ts';
import { hasRunFile } from '../store/runs/session-store.ts';
import { type CommonFlags, type Define, printResult, wholeNumber } from './command.ts';

interface AskFlags extends CommonFlags {
  readonly now?: true;
  readonly timeout?: number;
}

const POLL_INTERVAL_MS = 100;
const USUAL_SECONDS = 600;

/** `now` is the help of `--now`; undefined if the command has no such option. */
const COMMANDS: Readonly<Record<OutsideRequest['what'], { readonly now?: string; readonly help: string }>> = {
  compact: {
    now: 'compact in the middle of the turn, before its next call',
    help: `
Waits until the run has compacted its context, between two turns, and prints the
result. Exit codes: 0 done, 3 not done (stderr says why), 4 no answer in time.

Examples:
  ctxb compact
  ctxb compact 3f2a --now
  ctxb compact 3f2a --timeout 60 --json`,
  },
  stop: {
    now: 'interrupt the turn instead of waiting for its end',
    help: `
The run ends when its turn is over. If prompts have no answer, it ends with 7,
and ctxb run --resume-run continues with them. Exit codes of ctxb stop: 0 the
run has ended, 4 it has not ended in time.

Examples:
  ctxb stop
  ctxb stop 3f2a --now`,
  },
  handoff: {
    help: `
Asks a run to hand over to a fresh context when its turn is over, and waits for
the result. Exit codes: 0 done, 3 not done (stderr says why), 4 no answer in
time.

Examples:
  ctxb handoff
  ctxb handoff 3f2a --timeout 60`,
  },
};

export const define: Define = (command, connect) => {
  const what = command.name() as OutsideRequest['what'];
  const { now, help } = COMMANDS[what];
  if (now !== undefined) command.option('--now', now);
  connect(
    command
      .argument('[run]', 'the beginning of its id, as ctxb runs shows it (default: the only run of this folder)')
      .option(
        '--timeout <seconds>',
        `wait this long for the answer (default: ${USUAL_SECONDS})`,
        wholeNumber('--timeout', 'a whole number of seconds, 1 or more', 1),
      )
      .option('--json', 'the answer as JSON')
      .addHelpText('after', help),
    (named: string | undefined, flags: AskFlags, io: Io) => askRun(what, named, flags, io),
  );
};

interface AskOutcome extends AskAnswer {
  readonly runId: string;
  /** `timeout`: the run has not answered yet, but may still do so. */
  readonly outcome: 'done' | 'not done' | 'timeout';
}

/**
 * Sends a request to a run and waits for the answer. @throws CtxbError `usage` when no run or several match; `store`
 * when it belongs to another user
 */
async function askRun(
  what: OutsideRequest['what'],
  named: string | undefined,
  flags: AskFlags,
  io: Io,
): Promise<number> {
  const card = await findRun(named, io);
  const ask = { what, now: flags.now === true };
  const end = Date.now() + (flags.timeout ?? USUAL_SECONDS) * 1000;
  const outcome = await answerOf(card, ask, end, io);
  if (flags.json || outcome.outcome === 'done') {
    await printResult(outcome, flags, io, () => `${textOfAnswer(outcome)}\n`);
  } else tell(io, onOneLine(outcome.text));
  return { done: 0, 'not done': 3, timeout: 4 }[outcome.outcome];
}

function textOfAnswer({ text, before, after, estimated }: AskOutcome): string {
  if (before === undefined || after === undefined) return printable(onOneLine(text));
  const size = `${estimated ? 'about ' : ''}${tokens(after)}`;
  return printable(`${onOneLine(text)}: ${tokens(before)} → ${size} tokens (−${percent(1 - after / before)})`);
}

async function answerOf(
  { runId, contextDir }: RunCard,
  ask: OutsideRequest,
  end: number,
  { env }: Io,
): Promise<AskOutcome> {
  const inbox = inboxPath(contextDir, runId);
  const id = randomBytes(4).toString('hex');
  const readCard = () => readRunCard(stateFolder(env), runId);
  const timedOut = (text: string) => ({ runId, outcome: 'timeout', done: false, text }) as const;
  leaveInInbox(inbox, maskedJson({ kind: 'ask', id, ask }));
  const answer = await waitFor(end, () => {
    // A run may answer and then end: read its end first, and prefer the answer.
    const ended = readCard()?.end !== null;
    return takeAnswer(inbox, id) ?? (ended ? { text: 'the run ended before it could answer' } : undefined);
  });
  if (answer === undefined) {
    const card = readCard();
    const where = card && `: the run is in turn ${card.turn} (${stateText(card, Date.now())})`;
    return timedOut(`no answer yet${where ?? ''}; the request stays`);
  }
  const fields = fieldsOf(answer);
  const done = fields.done === true;
  if (ask.what !== 'stop' || !done)
    return { runId, outcome: done ? 'done' : 'not done', ...fields, done, text: stringOf(fields.text) };
  const text = await waitFor(end, () => {
    const card = readCard();
    return card?.end === null ? undefined : stoppedText(card);
  });
  if (text === undefined) return timedOut('it stops when its turn is over; --now does not wait for that');
  return { runId, outcome: 'done', done, text };
}

/** Polls until `look` returns a value; undefined after `end`. @param end milliseconds since the epoch */
async function waitFor<T>(end: number, look: () => T | undefined): Promise<T | undefined> {
  while (Date.now() < end) {
    const found = look();
    if (found !== undefined) return found;
    await delay(POLL_INTERVAL_MS);
  }
  return undefined;
}

function stoppedText(card: RunCard | undefined): string {
  if (card === undefined) return 'stopped';
  const { prompts, runId, contextDir } = card;
  if (prompts === 0) return 'stopped; all prompts were answered';
  const next = hasRunFile(contextDir, runId) ? `: ctxb run --resume-run ${runId.slice(0, 8)}` : '';
  return `stopped; ${counted(prompts, 'prompt')} not answered${next}`;
}

async function findRun(named: string | undefined, io: Io): Promise<RunCard> {
  const all = readRunCards(stateFolder(io.env));
  const folder = named === undefined ? realPath(await contextFolder(io)) : '';
  const matching = all.filter(({ runId, contextDir }) =>
    named === undefined ? realPath(contextDir) === folder : named !== '' && runId.startsWith(named),
  );
  const active = matching.filter(({ end }) => end === null);
  if (active.length > 1) {
    const ids = active.map(({ runId }) => runId.slice(0, 8)).join(', ');
    throw new CtxbError('usage', `several runs match: name one of ${ids}`);
  }
  if (active[0] !== undefined) return active[0];
  if (named === undefined) throw new CtxbError('usage', 'no run is active in this folder: ctxb runs lists all runs');
  const ending = matching[0]?.end;
  const why = ending ? `has ended (${ending.reason})` : 'is not known';
  throw new CtxbError('usage', `run ${onOneLine(named) || '""'} ${why}: ctxb runs lists the active ones`);
}

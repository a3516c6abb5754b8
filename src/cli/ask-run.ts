import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { contextFolder } from '../config/resolve-config.ts';
import type { AskAnswer } from '../core/governor/effects.ts';
import type { Ask } from '../core/governor/input.ts';
import { fieldsOf, textOf } from '../core/protocol/fields.ts';
import { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import { counted, tokens } from '../report/figures.ts';
import { onOneLine, printable, printableJson } from '../report/shown.ts';
import { realPath } from '../store/files/plain-file.ts';
import { stateFolder } from '../store/folders/user-folders.ts';
import { maskedJson } from '../store/masks/disk-text.ts';
import { inboxPath, leaveInInbox, takeAnswer } from '../store/runs/inbox.ts';
import { type RunCard, readRunCards } from '../store/runs/run-cards.ts';
import { wholeNumber } from './inputs.ts';

export interface AskFlags {
  readonly now?: true;
  readonly timeout?: number;
  readonly json?: true;
}

const NOT_DONE = 3;
const NO_ANSWER = 4;

const LOOK_MS = 100;
const USUAL_SECONDS = 600;

/** Gives a command the argument and the options of a request to a run. @param now what `--now` does; undefined: nothing */
export function takesRun(command: Command, now?: string): Command {
  if (now !== undefined) command.option('--now', now);
  return command
    .argument('[run]', 'the beginning of its id, as ctxb runs shows it (default: the only run of this folder)')
    .option(
      '--timeout <seconds>',
      `wait this long for the answer (default: ${USUAL_SECONDS})`,
      wholeNumber('--timeout', 'a whole number of seconds, 1 or more', 1),
    )
    .option('--json', 'the answer as JSON');
}

interface Asked extends AskAnswer {
  readonly runId: string;
  /** `timeout`: the run has not answered yet, and may still do it. */
  readonly outcome: 'done' | 'not done' | 'timeout';
}

/**
 * Asks a run for something and prints what became of it. Resolves with 0 when it is done, 3 when it is not, and 4 when
 * there is no answer in time.
 *
 * @throws CtxbError `usage` when the run is not there or not clear; `store` when it belongs to another user
 */
export async function askRun(named: string | undefined, what: Ask['what'], flags: AskFlags, io: Io): Promise<number> {
  const card = await findRun(named, io);
  const ask = { what, now: flags.now === true };
  const end = Date.now() + (flags.timeout ?? USUAL_SECONDS) * 1000;
  const asked = await answerOf(card, ask, end, io);
  if (flags.json) io.stdout.write(`${printableJson(asked, 2)}\n`);
  else if (asked.outcome === 'done') io.stdout.write(`${textOfAnswer(asked)}\n`);
  else io.stderr.write(`ctxb: ${printable(onOneLine(asked.text))}\n`);
  return { done: 0, 'not done': NOT_DONE, timeout: NO_ANSWER }[asked.outcome];
}

function textOfAnswer({ text, before, after }: Asked): string {
  if (before === undefined || after === undefined) return printable(onOneLine(text));
  const share = before > after && before > 0 ? ` (−${Math.round((1 - after / before) * 100)}%)` : '';
  return printable(`${onOneLine(text)}: ${tokens(before)} → ${tokens(after)} tokens${share}`);
}

async function answerOf({ runId, contextDir }: RunCard, ask: Ask, end: number, io: Io): Promise<Asked> {
  const inbox = inboxPath(contextDir, runId);
  const id = randomBytes(4).toString('hex');
  leaveInInbox(inbox, maskedJson({ kind: 'ask', id, ask }));
  while (Date.now() < end) {
    const answer = takeAnswer(inbox, id);
    const card = cardsOf(io).find((one) => one.runId === runId);
    if (answer !== undefined) {
      const said = answerIn(answer);
      if (ask.what !== 'stop' || !said.done) return { runId, outcome: said.done ? 'done' : 'not done', ...said };
      return await endOf(runId, end, io);
    }
    if (card === undefined || card.end !== null) return notDone(runId, 'the run has ended before');
    await delay(LOOK_MS);
  }
  const state = cardsOf(io).find((one) => one.runId === runId);
  return { runId, outcome: 'timeout', done: false, text: `no answer yet: ${underWay(state)}; it may still be done` };
}

/** A run that is asked to stop ends with its turn. */
async function endOf(runId: string, end: number, io: Io): Promise<Asked> {
  while (Date.now() < end) {
    const card = cardsOf(io).find((one) => one.runId === runId);
    if (card === undefined) return { runId, outcome: 'done', done: true, text: 'stopped' };
    if (card.end !== null) return { runId, outcome: 'done', done: true, text: stoppedText(card) };
    await delay(LOOK_MS);
  }
  return {
    runId,
    outcome: 'timeout',
    done: false,
    text: 'it stops when its turn is over; --now does not wait for that',
  };
}

function stoppedText({ prompts, runId }: RunCard): string {
  if (prompts === 0) return 'stopped; all prompts were answered';
  return `stopped; ${counted(prompts, 'prompt')} not answered: ctxb run --resume-run ${runId.slice(0, 8)}`;
}

function underWay(card: RunCard | undefined): string {
  if (card === undefined) return 'the run is not listed';
  if (card.waitsFor !== null) return `the run waits for ${card.waitsFor.what}`;
  return `the run is ${card.phase === 'working' ? `in turn ${card.turn}` : card.phase}`;
}

function notDone(runId: string, text: string): Asked {
  return { runId, outcome: 'not done', done: false, text };
}

function answerIn(value: unknown): AskAnswer {
  const { done, text, before, after } = fieldsOf(value);
  const sizes = typeof before === 'number' && typeof after === 'number' ? { before, after } : {};
  return { done: done === true, text: textOf(text) ?? '', ...sizes };
}

function cardsOf({ env }: Io): RunCard[] {
  return readRunCards(stateFolder(env));
}

/** @throws CtxbError `usage` when there is none, it has ended, or the name fits several */
async function findRun(named: string | undefined, io: Io): Promise<RunCard> {
  const all = cardsOf(io);
  const living = all.filter(({ end }) => end === null);
  const [found, ...others] = named === undefined ? await runsHere(living, io) : living.filter(isNamed(named));
  if (found !== undefined && others.length === 0) return found;
  if (found !== undefined) {
    const ids = [found, ...others].map(({ runId }) => runId.slice(0, 8)).join(', ');
    throw new CtxbError('usage', `several runs are meant: name one of ${ids}`);
  }
  if (named === undefined) throw new CtxbError('usage', 'no run is active in this folder: ctxb runs lists all of them');
  const over = all.find(isNamed(named))?.end;
  const why = over ? `has ended (${over.reason})` : 'is not known';
  throw new CtxbError('usage', `run ${onOneLine(named)} ${why}: ctxb runs lists those that are active`);
}

function isNamed(beginning: string): (card: RunCard) => boolean {
  return ({ runId }) => beginning !== '' && runId.startsWith(beginning);
}

async function runsHere(living: readonly RunCard[], io: Io): Promise<RunCard[]> {
  const folder = realPath(await contextFolder(io, undefined));
  return living.filter(({ contextDir }) => realPath(contextDir) === folder);
}

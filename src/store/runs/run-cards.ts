import { dirname, join } from 'node:path';
import type { EndReason, RunStatus } from '../../core/governor/run-status.ts';
import { type Fields, fieldsOf, textOf } from '../../core/protocol/fields.ts';
import { makeFolder, namesOf, readJson, removeFile } from '../files/plain-file.ts';
import { isAlive, type ProcessMark, readProcessMark } from '../files/process-mark.ts';
import { replaceFile } from '../files/write-file.ts';
import { maskedJson } from '../masks/disk-text.ts';

/** Data of a run for `ctxb runs`. Times are in milliseconds since the epoch. */
export interface RunCard extends RunStatus {
  readonly version: 1;
  readonly runId: string;
  /** Absolute paths of the folder the run was started in, and of its files. */
  readonly cwd: string;
  readonly contextDir: string;
  readonly ctxb: ProcessMark;
  readonly since: number;
  readonly at: number;
  readonly compactions: number;
  readonly handoffs: number;
  /** Usage of the session that claude's own counters lack. */
  readonly lost?: Fields | undefined;
  /** null while the run is active. `died`: the process is gone without having written a reason. */
  readonly end: { readonly reason: EndReason | 'died'; readonly exitCode: number } | null;
}

const RUNS_FOLDER = 'runs';

const CARD_LIMIT = 64 * 1024;

/** Maximum number of cards of ended runs. The oldest are removed. */
const MAX_CARDS = 200;

const NAME = /^[0-9a-f-]{36}\.json$/;

export function writeRunCard(state: string, card: RunCard): void {
  const path = cardPath(state, card.runId);
  makeFolder(dirname(path));
  replaceFile(path, [maskedJson(card)], { durable: false });
  if (card.end !== null) forgetOldCards(state);
}

function cardPath(state: string, runId: string): string {
  return join(state, RUNS_FOLDER, `${runId}.json`);
}

export function readRunCard(state: string | undefined, runId: string): RunCard | undefined {
  return state === undefined ? undefined : cardIn(cardPath(state, runId));
}

/** All cards of this user, newest run first. A run whose process is gone without an end has died. */
export function readRunCards(state: string | undefined): RunCard[] {
  if (state === undefined) return [];
  const folder = join(state, RUNS_FOLDER);
  const cards = namesOf(folder, NAME).flatMap((name) => cardIn(join(folder, name)) ?? []);
  return cards.sort((a, b) => b.since - a.since);
}

function cardIn(path: string): RunCard | undefined {
  const fields = fieldsOf(readJson(path, CARD_LIMIT));
  const ctxb = readProcessMark(fields.ctxb);
  if (fields.version !== 1 || ctxb === undefined || textOf(fields.runId) === undefined) return undefined;
  // This program wrote the file, in this shape.
  const card = fields as unknown as RunCard;
  if (card.end !== null || isAlive(ctxb)) return card;
  return { ...card, phase: 'ended', waitsFor: null, end: { reason: 'died', exitCode: 137 } };
}

function forgetOldCards(state: string): void {
  if (namesOf(join(state, RUNS_FOLDER)).length <= MAX_CARDS) return;
  const ended = readRunCards(state).filter(({ end }) => end !== null);
  for (const { runId } of ended.slice(MAX_CARDS)) removeFile(cardPath(state, runId));
}

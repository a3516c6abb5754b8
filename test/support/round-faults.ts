import { join } from 'node:path';
import { type Decision, withoutFocus } from '../../src/core/governor/decisions.ts';
import { isTold, newestPrompt, promptText, textsOf, wantedBy } from './agent.ts';
import { type Finished, runProgram } from './claude.ts';
import { mainRequests } from './conversation.ts';
import { CTXB, journalLines } from './ctxb.ts';
import { linesOf, type Played, processesOf } from './play-round.ts';
import type { RecordedRequest } from './standin/scenario.ts';

/** Violated invariants after a round, one sentence each. */
export async function faultsOf(played: Played): Promise<string[]> {
  const found = [ending(played), results(played), said(played), known(played), left(played), await replayed(played)];
  return [...new Set(found.flat())];
}

/**
 * The same without what claude has forgotten: it writes its log late, the later the busier the machine is, and what is
 * not in it when it is killed in short turns it does not know again, not even as the newest prompt.
 */
export async function faultsOfDelivery(played: Played): Promise<string[]> {
  const faults = await faultsOf(played);
  return [...faults.filter((fault) => !/knows nothing of|were said in the order/.test(fault)), ...delivered(played)];
}

/** Each prompt reaches the model for the first time behind the one before it. */
function delivered({ round, world }: Played): string[] {
  const firsts: number[] = [];
  for (const newest of mainRequests(world.standin).map(newestPrompt)) {
    if (newest > (firsts.at(-1) ?? 0)) firsts.push(newest);
  }
  const isEach = firsts.join() === round.agent.turns.map((_, index) => index + 1).join();
  return isEach ? [] : [`the prompts reached the model in the order ${firsts.join(' ')}`];
}

function ending(played: Played): string[] {
  const { runs, ms, timedOut } = played;
  const code = runs.at(-1)?.code;
  // Killed behind the last answer, claude ends the run as it would without ctxb, and ctxb leaves nothing to take up.
  const isRight = code === 0 || (code !== 1 && results(played).length === 0);
  return [
    ...(timedOut ? [`not over after ${Math.round(ms)} ms`] : []),
    ...(isRight ? [] : [`ended with ${code}`]),
    ...(runs.some(({ stderr }) => /bug in ctxb|\n\s+at \S/.test(stderr)) ? ['a bug is told on stderr'] : []),
  ];
}

/** Kills per repeated answer. In two of ten rounds with twenty kills, one came at that moment on a busy machine. */
const KILLS_A_CHANCE = 8;

/**
 * Each prompt must have one answer, in order, over all runs. A run that was killed after writing an answer and before
 * recording it repeats the answer. More repetitions than such kills are a fault.
 */
function results({ round, runs, killed }: Played): string[] {
  const each = runs.map(answersOf);
  const again = each.map(([first], at) => first !== undefined && first === each[at - 1]?.at(-1));
  const got = each.flatMap((answers, at) => (again[at] ? answers.slice(1) : answers));
  const wanted = round.agent.turns.map((_, index) => `answer ${index + 1}`);
  const isChance = again.filter(Boolean).length <= Math.max(1, killed / KILLS_A_CHANCE);
  return isChance && got.join() === wanted.join() ? [] : [`the answers of the runs were ${JSON.stringify(each)}`];
}

function answersOf({ stdout }: Finished): string[] {
  return stdout
    .toString()
    .split('\n')
    .flatMap((line) => {
      const { type, subtype, result } = parse(line);
      return type === 'result' ? [String(result ?? subtype)] : [];
    });
}

/** Each prompt whole, once in a conversation, in order, and never again after it was left behind. */
function said({ round, world }: Played): string[] {
  const texts = round.agent.turns.map((_, index) => promptText(index + 1));
  const order: number[] = [];
  const faults = mainRequests(world.standin).flatMap((request) => {
    const newest = newestPrompt(request);
    if (newest > 0 && order.at(-1) !== newest) order.push(newest);
    const given = textsOf(request);
    const twice = texts.filter((text) => given.filter((one) => one === text).length > 1);
    const isWhole = newest === 0 || given.includes(promptText(newest));
    return [...twice.map((text) => `${text} is there twice`), ...(isWhole ? [] : [`prompt ${newest} is not whole`])];
  });
  const isInOrder = order.join() === texts.map((_, index) => index + 1).join();
  return isInOrder ? faults : [...faults, `the prompts were said in the order ${order.join(' ')}`];
}

/**
 * No request without what came before: in the user's words, in a summary, or in a handoff document. Those do not count
 * that a claude makes alone, whose ctxb was killed before it could hand the document over.
 */
function known(played: Played): string[] {
  let current = 0;
  return mainRequests(played.world.standin).flatMap((request) => {
    current = Math.max(current, newestPrompt(request));
    if (isTold(request) || isOfOrphan(played, request)) return [];
    if (wantedBy(request) === 'nothing') return ['a request asks for nothing'];
    const given = textsOf(request);
    const missing = Array.from({ length: current }, (_, index) => promptText(index + 1)).filter(
      (text) => !given.includes(text),
    );
    return missing.map((text) => `at prompt ${current} the agent knows nothing of ${JSON.stringify(text)}`);
  });
}

function isOfOrphan({ world, orphanedAt }: Played, { at }: RecordedRequest): boolean {
  const starts = journalLines(world).flatMap(({ kind, t }) => (kind === 'start' ? [Date.parse(String(t))] : []));
  return orphanedAt.some(
    (from) => at >= from && at < (starts.find((start) => start > from) ?? Number.POSITIVE_INFINITY),
  );
}

function left({ world }: Played): string[] {
  return processesOf(world).map(({ command }) => `left running: ${command.slice(0, 100)}`);
}

/** The record of a run that ctxb has seen to its end gives the journal's decisions again. */
async function replayed({ world, runs }: Played): Promise<string[]> {
  if (runs.length !== 1) return [];
  const { env, cwd } = world.scratch;
  const words = [CTXB, 'replay', '--json', join(cwd, 'run-0.ndjson')];
  const replay = await runProgram(process.execPath, words, { env, cwd });
  const [session] = JSON.parse(replay.stdout.toString()).sessions;
  const decided = journalLines(world)
    .filter((entry) => 'gauge' in entry)
    .map(({ v, t, runId, ...decision }) => JSON.stringify(decision));
  // The journal leaves out what may hold a secret in part.
  const again = session.actions.map((action: Decision) => JSON.stringify(withoutFocus(action)));
  const at = decided.findIndex((decision, index) => decision !== again[index]);
  if (at < 0 && again.length === decided.length) return [];
  return [`replay differs at decision ${at}: ${decided[at]?.slice(0, 200)} / ${again[at]?.slice(0, 200)}`];
}

/** The journal of a round, abbreviated. */
export function storyOf({ world }: Played): string {
  const usual = new Set(['mid-turn:trigger', 'warn', 'recall', 'receipt', 'session']);
  return linesOf(join(world.scratch.cwd, '.context', 'journal.ndjson'))
    .map((line) => String(parse(line).kind))
    .filter((kind) => !usual.has(kind))
    .join(' ');
}

function parse(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return {};
  }
}

import { createInterface } from 'node:readline';
import type { Io } from '../io.ts';
import type { EffectOf } from './executor.ts';
import type { Watcher } from './headless-run.ts';
import { timeoutSignal } from './signals.ts';

/** A person who says nothing for so long is not there. */
const PATIENCE_MS = 600_000;

type AskPerson = EffectOf<'ask-person'>;

/** Puts a question to the person. Resolves with what was typed; undefined: nothing was. */
export type Ask = (question: string) => Promise<string | undefined>;

export type Questions = ReturnType<typeof createQuestions>;

export function createQuestions(io: Io, { ask }: Pick<Watcher, 'ask'>) {
  let open = new AbortController();
  return {
    ask(question: string): ReturnType<Ask> {
      open = new AbortController();
      return ask(question, () => readAnswer(io, open.signal));
    },
    /** No one waits for the answer to the open question. */
    takeBack: () => open.abort(),
  };
}

/** The next line that is typed; undefined: the person says nothing, or the terminal or the signal ends the wait. */
export function readAnswer({ stdin }: Io, signal?: AbortSignal): Promise<string | undefined> {
  // Not as a terminal: then Ctrl-C would come here and not to the run.
  const reader = createInterface({ input: stdin, terminal: false, signal: timeoutSignal(PATIENCE_MS, signal) });
  return new Promise((resolve) => {
    reader.once('line', resolve).once('line', () => reader.close());
    reader.once('close', () => resolve(undefined));
  });
}

/**
 * Asks whether to continue at a cost limit. Resolves with the new limit in US dollars, or with undefined: no,
 * or no answer.
 */
export async function askForLimit(effect: AskPerson, ask: Ask): Promise<number | undefined> {
  return readLimit((await ask(questionText(effect))) ?? '', effect);
}

/** Asks whether the next prompt is to go after a turn was stopped. Every answer but a clear yes is a no. */
export async function askForNext({ waiting }: EffectOf<'ask-next'>, ask: Ask): Promise<boolean> {
  const wait = waiting === 1 ? '1 prompt waits' : `${waiting} prompts wait`;
  return isYes((await ask(`ctxb: The turn was stopped; ${wait}. Go on with the next? [y, n: end] `)) ?? '');
}

function isYes(answer: string): boolean {
  return /^\s*y(?:es)?\s*$/i.test(answer);
}

function questionText(effect: AskPerson): string {
  const { scope, spentUsd, limitUsd } = effect;
  const whose = scope === 'run' ? 'This run' : "This project's runs";
  const next = dollars(nextLimit(effect));
  return `ctxb: ${whose} cost ${dollars(spentUsd)}; the limit is ${dollars(limitUsd)}. Go on? [y: up to ${next}, a sum in dollars, n: wrap up] `;
}

/** Amounts below a cent keep four places, as in every report. */
function dollars(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 0.01 ? 4 : 2)}`;
}

/** The same amount again, above what was spent. */
function nextLimit({ spentUsd, limitUsd }: Pick<AskPerson, 'spentUsd' | 'limitUsd'>): number {
  return Math.max(limitUsd * 2, spentUsd + limitUsd);
}

/** The new limit that an answer means; undefined: the run ends. Every answer but a clear yes is a no. */
export function readLimit(
  answer: string,
  { spentUsd, limitUsd }: Pick<AskPerson, 'spentUsd' | 'limitUsd'>,
): number | undefined {
  const said = answer.trim().toLowerCase();
  if (isYes(said)) return nextLimit({ spentUsd, limitUsd });
  const sum = /^\$?\s*(\d{1,7}(?:\.\d{1,6})?)$/.exec(said)?.[1];
  return sum !== undefined && Number(sum) > spentUsd ? Number(sum) : undefined;
}

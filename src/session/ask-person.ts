import { createInterface } from 'node:readline/promises';
import type { Io } from '../io.ts';
import type { AskPerson } from './executor.ts';
import { timeoutSignal } from './timeout-signal.ts';

/** A person who says nothing for so long is not there. */
const PATIENCE_MS = 600_000;

/**
 * Asks the person at the terminal whether the work may go on at a limit of cost. Resolves with the new limit in US
 * dollars, or with undefined: no, no answer, or a terminal that went away.
 */
export async function askForLimit(
  effect: AskPerson,
  { stdin, stderr }: Io,
  signal?: AbortSignal,
): Promise<number | undefined> {
  // Not as a terminal: then Ctrl-C would come here and not to the run.
  const reader = createInterface({ input: stdin, output: stderr, terminal: false });
  const until = timeoutSignal(PATIENCE_MS, signal);
  const closed = new Promise<string>((resolve) => reader.once('close', () => resolve('')));
  try {
    return readLimit(await Promise.race([reader.question(questionText(effect), { signal: until }), closed]), effect);
  } catch {
    return undefined;
  } finally {
    reader.close();
  }
}

function questionText(effect: AskPerson): string {
  const { scope, spentUsd, limitUsd } = effect;
  const whose = scope === 'run' ? 'This run' : "This project's runs";
  const next = dollars(nextLimit(effect));
  return `ctxb: ${whose} cost ${dollars(spentUsd)}; the limit is ${dollars(limitUsd)}. Go on? [y: up to ${next}, a sum in dollars, n: wrap up] `;
}

function dollars(usd: number): string {
  return `$${usd.toFixed(2)}`;
}

/** As much again, above what was spent. */
function nextLimit({ spentUsd, limitUsd }: Pick<AskPerson, 'spentUsd' | 'limitUsd'>): number {
  return Math.max(limitUsd * 2, spentUsd + limitUsd);
}

/** The new limit that an answer means; undefined: it is enough. Whoever does not clearly say yes has said no. */
export function readLimit(
  answer: string,
  { spentUsd, limitUsd }: Pick<AskPerson, 'spentUsd' | 'limitUsd'>,
): number | undefined {
  const said = answer.trim().toLowerCase();
  if (said === 'y' || said === 'yes') return nextLimit({ spentUsd, limitUsd });
  const sum = /^\$?\s*(\d{1,7}(?:\.\d{1,6})?)$/.exec(said)?.[1];
  return sum !== undefined && Number(sum) > spentUsd ? Number(sum) : undefined;
}

import { createInterface } from 'node:readline';
import type { EffectOf } from '../core/governor/effects.ts';
import { groupsIn } from '../core/protocol/fields.ts';
import type { Io } from '../io.ts';
import type { Watcher } from './headless-run.ts';
import { timeoutSignal } from './signals.ts';

/** Milliseconds of silence after which the user counts as absent. */
const PATIENCE_MS = 600_000;

type AskEffect = EffectOf<'ask-person'>;

type Sums = Pick<AskEffect, 'spentUsd' | 'limitUsd'>;

/** Resolves with the typed text; undefined without an answer. */
export type AskPerson = (question: string) => Promise<string | undefined>;

export type Dialog = ReturnType<typeof createDialog>;

export function createDialog(io: Io, ask: Watcher['ask']) {
  let open = new AbortController();
  return {
    ask(question: string): ReturnType<AskPerson> {
      open = new AbortController();
      return ask(question, () => readAnswer(io, open.signal));
    },
    /** Cancels the open question. */
    cancel: () => open.abort(),
  };
}

/** The next typed line; undefined on a timeout, the end of input or an abort. */
export function readAnswer({ stdin }: Pick<Io, 'stdin'>, signal?: AbortSignal): Promise<string | undefined> {
  // In terminal mode, readline would handle Ctrl-C itself, so the run would not get the signal.
  const reader = createInterface({ input: stdin, terminal: false, signal: timeoutSignal(PATIENCE_MS, signal) });
  return new Promise((resolve) => {
    reader.once('line', resolve).once('line', () => reader.close());
    reader.once('close', () => resolve(undefined));
  });
}

/** The new limit in US dollars; undefined: wrap up. */
export async function askForLimit(effect: AskEffect, ask: AskPerson): Promise<number | undefined> {
  return readLimit((await ask(questionText(effect))) ?? '', effect);
}

export function isYes(answer: string): boolean {
  return /^\s*y(?:es)?\s*$/i.test(answer);
}

function questionText(effect: AskEffect): string {
  const { scope, spentUsd, limitUsd } = effect;
  const owner = scope === 'run' ? 'This run' : "This project's runs";
  const next = dollars(nextLimit(effect));
  return `ctxb: ${owner} cost ${dollars(spentUsd)}; the limit is ${dollars(limitUsd)}. Go on? [y: up to ${next}, a sum in dollars, n: wrap up] `;
}

/** Amounts below a cent have four decimals, as in every report. */
function dollars(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 0.01 ? 4 : 2)}`;
}

/** The limit after a yes: the larger of limit and spending, plus the limit. */
function nextLimit({ spentUsd, limitUsd }: Sums): number {
  return Math.max(limitUsd * 2, spentUsd + limitUsd);
}

/** Reads the user's answer; undefined ends the run. Only a clear yes or a sum above the spending counts. */
export function readLimit(answer: string, { spentUsd, limitUsd }: Sums): number | undefined {
  const reply = answer.trim().toLowerCase();
  if (isYes(reply)) return nextLimit({ spentUsd, limitUsd });
  const [sum] = groupsIn(/^\$?\s*(\d{1,7}(?:\.\d{1,6})?)$/, reply);
  return sum !== undefined && Number(sum) > spentUsd ? Number(sum) : undefined;
}

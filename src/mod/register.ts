import { type Answer, exactAnswer, refusal } from '../core/exact/exact-answer.ts';
import type { Message } from '../core/exact/message.ts';
import type { ExactReceipt } from '../core/exact/plan.ts';
import { readPlan } from '../core/exact/read-plan.ts';
import { isHeard, type SubmitEvent } from './heard.ts';
import { PLACE } from './place.js';

/** What claude lends to a mod, as far as it is used here. */
interface Engine {
  readonly fs: {
    readonly read: (path: string) => Promise<string>;
    readonly write: (path: string, text: string) => Promise<unknown>;
  };
}

type Hook<E, A> = ($: Engine, e: E, next: (e: E) => Promise<A>) => Promise<A>;

interface CompactEvent {
  readonly trigger: 'manual' | 'auto' | 'plugin' | 'precompute';
  readonly messages: readonly Message[];
  /** A subagent's own conversation. */
  readonly agentId?: string;
}

interface On {
  (event: 'prompt.submit', hook: Hook<SubmitEvent, unknown>): void;
  (event: 'session.start', hook: Hook<object, unknown>): void;
  (event: 'session.compact', hook: Hook<CompactEvent, { readonly messages: readonly Message[] } | object>): void;
}

/**
 * Answers compactions with what stays of the conversation, as ctxb's plan asks for; on any doubt claude compacts in its
 * own way. claude reads the source of this function and wants `on` and `$` under these names.
 */
export function register(on: On): void {
  let number = 0;
  let heard: readonly string[] = [];

  // Being listed is no proof that a mod runs: this file is.
  on('session.start', async ($, e, next) => {
    await $.fs.write(`${PLACE}/alive`, '').catch(() => {});
    return next(e);
  });

  // What was said in mid-turn since the plan was written.
  on('prompt.submit', async (_, e, next) => {
    if (isHeard(e)) heard = [...heard, e.text];
    return next(e);
  });

  on('session.compact', async ($, e, next) => {
    if (e.agentId !== undefined || e.trigger === 'precompute') return next(e);
    const started = performance.now();
    number += 1;
    const { messages, outcome } = answer(
      e.messages,
      await $.fs.read(`${PLACE}/plan.json`).catch(() => undefined),
      heard,
    );
    heard = [];
    const receipt: ExactReceipt = { version: 1, number, ms: Math.round(performance.now() - started), ...outcome };
    if (messages !== undefined) await $.fs.write(`${PLACE}/kept.json`, JSON.stringify(messages)).catch(() => {});
    await $.fs.write(`${PLACE}/receipt.json`, JSON.stringify(receipt)).catch(() => {});
    return messages === undefined ? next(e) : { messages };
  });
}

function answer(messages: readonly Message[], plan: string | undefined, heard: readonly string[]): Answer {
  if (plan === undefined) return refusal(messages, 'there is no plan');
  try {
    return exactAnswer(messages, readPlan(plan, heard));
  } catch (error) {
    return refusal(messages, error instanceof Error ? error.message : String(error));
  }
}

import { answerWith } from '../core/exact/exact-answer.ts';
import { type ExactReceipt, readPlan } from '../core/protocol/exact-plan.ts';
import { answerOptionsOf } from './answer-options.ts';
import { isFromUser, isSeenByModel, type On } from './engine.ts';
import { PLACE } from './place.js';

/**
 * Compacts by ctxb's plan. In any doubt, claude compacts in its own way. claude reads the source of this function, so
 * the names `on` and `$` must stay.
 */
export function register(on: On): void {
  let number = 0;
  let deferrals = 0;
  let seenTexts: readonly string[] = [];
  let userTexts: readonly string[] = [];

  // Proves that the mod runs. A listed mod may not run.
  on('session.start', async ($, e, next) => {
    await $.fs.write(`${PLACE}/alive`, '').catch(() => {});
    return next(e);
  });

  // Texts sent since ctxb wrote the plan.
  on('prompt.submit', async (_, e, next) => {
    if (isSeenByModel(e)) seenTexts = [...seenTexts, e.text];
    if (isFromUser(e)) userTexts = [...userTexts, e.text];
    return next(e);
  });

  on('session.compact', async ($, e, next) => {
    if (e.agentId !== undefined || e.trigger === 'precompute') return next(e);
    const started = performance.now();
    const text = await $.fs.read(`${PLACE}/plan.json`).catch(() => undefined);
    const plan = () => readPlan(text, seenTexts, userTexts, e.trigger === 'auto');
    const keep = await Promise.resolve()
      .then(() => plan().keep)
      .catch(() => undefined);
    const answerOptions = await answerOptionsOf($, e, deferrals, keep);
    const answer = answerWith(e.messages, plan, answerOptions);
    if (answer.reasonToWait !== undefined) {
      deferrals += 1;
      return { skip: `ctxb: ${answer.reasonToWait}` };
    }
    const { messages, outcome } = answer;
    [number, deferrals, seenTexts, userTexts] = [number + 1, 0, [], []];
    const receipt: ExactReceipt = { version: 1, number, ms: Math.round(performance.now() - started), ...outcome };
    if (messages !== undefined) await $.fs.write(`${PLACE}/kept.json`, JSON.stringify(messages)).catch(() => {});
    await $.fs.write(`${PLACE}/receipt.json`, JSON.stringify(receipt)).catch(() => {});
    return messages === undefined ? next(e) : { messages };
  });
}

import { fieldsOf, listOf } from '../protocol/fields.ts';
import type { ExactPlan, MidTurnPrompt } from './plan.ts';

/**
 * Reads `plan.json`.
 *
 * @param heard what was said in mid-turn as far as the mod knows: the last of it may be newer than the plan
 * @throws {Error} that says what is wrong with the plan
 */
export function readPlan(text: string, heard: readonly string[]): ExactPlan {
  const { version, note, budget, midTurn } = fieldsOf(JSON.parse(text));
  if (version !== 1) throw new Error(`the plan's version is ${JSON.stringify(version)}, expected 1`);
  if (typeof note !== 'string') throw new Error('the plan has no note');
  if (typeof budget !== 'number' || !(budget > 0)) throw new Error('the plan has no budget');
  return {
    version,
    note,
    budget,
    midTurn: withNewer(listOf(midTurn).flatMap(readPrompt), heard),
  };
}

function withNewer(planned: readonly MidTurnPrompt[], heard: readonly string[]): MidTurnPrompt[] {
  const known = planned.map(({ text }) => text);
  const newer = heard.filter((text) => {
    const at = known.indexOf(text);
    if (at >= 0) known.splice(at, 1);
    return at < 0;
  });
  return [...planned, ...newer.map((text) => ({ text, after: '' }))];
}

function readPrompt(value: unknown): MidTurnPrompt[] {
  const { text, after } = fieldsOf(value);
  return typeof text === 'string' && typeof after === 'string' ? [{ text, after }] : [];
}

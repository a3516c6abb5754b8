import { fieldsOf } from '../protocol/fields.ts';
import type { ExactPlan, MidTurnPrompt } from './plan.ts';

/** Reads `plan.json`. @throws {Error} that says what is wrong with it */
export function readPlan(text: string): ExactPlan {
  const { version, note, budget, midTurn } = fieldsOf(JSON.parse(text));
  if (version !== 1) throw new Error(`the plan's version is ${JSON.stringify(version)}, expected 1`);
  if (typeof note !== 'string') throw new Error('the plan has no note');
  if (typeof budget !== 'number' || !(budget > 0)) throw new Error('the plan has no budget');
  return { version, note, budget, midTurn: Array.isArray(midTurn) ? midTurn.flatMap(readPrompt) : [] };
}

function readPrompt(value: unknown): MidTurnPrompt[] {
  const { text, after } = fieldsOf(value);
  return typeof text === 'string' && typeof after === 'string' ? [{ text, after }] : [];
}

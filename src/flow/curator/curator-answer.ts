import * as v from 'valibot';
import { LINE_LENGTH, quoted } from '../../memory/words.ts';

/** What a curator names, unchecked against history and disk. */
export type CuratorAnswer = v.InferOutput<typeof answerSchema>;

const answerSchema = v.strictObject({
  files: v.array(v.string()),
  steps: v.array(v.string()),
});

const names = { type: 'array', items: { type: 'string' } } as const;

/** The same as JSON Schema, for claude's `--json-schema`. */
export const ANSWER_JSON_SCHEMA = JSON.stringify({
  type: 'object',
  properties: { files: names, steps: names },
  required: ['files', 'steps'],
  additionalProperties: false,
});

/** Reads the text of the answer, or says what is wrong with it. */
export function readAnswer(text: string): { readonly answer: CuratorAnswer } | { readonly fault: string } {
  const found = text.trim() === '' ? 'nothing' : quoted(text, LINE_LENGTH);
  try {
    const { success, output } = v.safeParse(answerSchema, JSON.parse(text));
    return success ? { answer: output } : { fault: `expected lists of files and steps, found ${found}` };
  } catch {
    return { fault: `expected JSON, found ${found}` };
  }
}

import * as v from 'valibot';
import { counted, LINE_LENGTH, quoted } from '../../core/memory/words.ts';
import type { CuratedChoice } from '../pack/receipt.ts';

/** A curator's answer, not yet compared with history, outputs and disk. */
export type CuratorAnswer = v.InferOutput<typeof answerSchema>;

const answerSchema = v.strictObject({
  files: v.array(v.string()),
  steps: v.array(v.string()),
  summaries: v.optional(v.array(v.strictObject({ step: v.string(), text: v.string() })), []),
});

const text = { type: 'string' } as const;
const names = { type: 'array', items: text } as const;
const summaries = { type: 'array', items: objectOf({ step: text, text }) } as const;

/** The same as JSON Schema, for claude's `--json-schema`; summaries only where something is to be summed up. */
export function answerJsonSchema(withSummaries: boolean): string {
  return JSON.stringify(objectOf({ files: names, steps: names, ...(withSummaries ? { summaries } : {}) }));
}

function objectOf(properties: object) {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

export function readAnswer(text: string): { readonly answer: CuratorAnswer } | { readonly fault: string } {
  const found = text.trim() === '' ? 'nothing' : quoted(text, LINE_LENGTH);
  try {
    const { success, output } = v.safeParse(answerSchema, JSON.parse(text));
    return success ? { answer: output } : { fault: `expected lists of files and steps, found ${found}` };
  } catch {
    return { fault: `expected JSON, found ${found}` };
  }
}

interface AnswerBounds {
  readonly steps: ReadonlySet<string>;
  readonly maxFiles: number;
  /** The file's name in the working folder, or why it cannot be taken. */
  readonly find: (file: string) => { readonly name: string } | { readonly fault: string };
}

/**
 * Takes the steps and files of an answer that exist; of too many files the first.
 *
 * @returns `choice` is undefined where nothing that the answer names exists
 */
export function checkAnswer(
  { files, steps }: Omit<CuratorAnswer, 'summaries'>,
  { steps: known, maxFiles, find }: AnswerBounds,
) {
  const looked = [...new Set(files)].map((file) => ({ file, ...find(file) }));
  const names = new Set(looked.flatMap((found) => ('name' in found ? [found.name] : [])));
  const bad = looked.flatMap((found) => ('fault' in found ? [`${shown(found.file)} (${found.fault})`] : []));
  const asked = [...new Set(steps)];
  const unknown = asked.filter((id) => !known.has(id)).map(shown);
  const choice: CuratedChoice = {
    steps: asked.filter((id) => known.has(id)),
    files: [...names].slice(0, maxFiles),
  };
  const faults = [
    ...listed('files left out', bad),
    ...listed('unknown steps', unknown),
    ...(names.size > maxFiles ? [`${counted(names.size - maxFiles, 'file')} beyond the limit of ${maxFiles}`] : []),
  ];
  const isEmpty = choice.steps.length === 0 && choice.files.length === 0;
  return {
    choice: isEmpty && faults.length > 0 ? undefined : choice,
    fault: faults.length === 0 ? undefined : faults.join('; '),
  };
}

/** Names that a fault lists; the others are counted. */
const TOLD = 5;

function listed(title: string, all: readonly string[]): string[] {
  if (all.length === 0) return [];
  const more = all.length > TOLD ? ` and ${all.length - TOLD} more` : '';
  return [`${title}: ${all.slice(0, TOLD).join(', ')}${more}`];
}

function shown(name: string): string {
  return quoted(name, LINE_LENGTH);
}

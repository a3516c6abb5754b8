import type { FlowStep } from '../flow.ts';

/** What a pack needs to know of the step that it is for. */
export type TaughtStep = Pick<FlowStep, 'id' | 'objective' | 'inputs' | 'outputs' | 'teaching' | 'prompt'>;

/** The teaching notes, word for word: the user's own text, which nothing shortens. */
export function teachingParts({ id, objective, inputs, outputs, teaching }: TaughtStep): string[] {
  return [
    `# Briefing for step ${id}`,
    ...section('Objective', objective),
    ...section('Inputs', bullets(inputs)),
    ...section('Outputs', bullets(outputs)),
    ...section('Emphasis', bullets(teaching.emphasis)),
    ...section('Constraints', bullets(teaching.constraints)),
    ...section('Notes', teaching.notes),
  ];
}

/** What is asked; it comes last, and is as whole as the notes. */
export function taskParts(prompt: string | undefined): string[] {
  return section('Task', prompt);
}

function section(title: string, text: string | undefined): string[] {
  return text ? [`## ${title}\n\n${text}`] : [];
}

function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

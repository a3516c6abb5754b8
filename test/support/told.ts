import { type ResultMore, resultEntry } from './notes.ts';

/** A call, and the line that it is told in. */
export interface Told extends ResultMore {
  readonly title: string;
  readonly name: string;
  readonly input: object;
  readonly text?: unknown;
  readonly gist: string;
}

export function gistOf({ name, input, text = 'ok', gist: _, title: __, ...more }: Told): string | undefined {
  return resultEntry(name, input, text, more).gist;
}

/** The report of Bash, beside the text for the model. */
export function printed(stdout: string, more: object = {}): object {
  return { stdout, stderr: '', interrupted: false, isImage: false, ...more };
}

/** A command that printed `stdout`; `gist` is without the tool's name. */
export function ran(title: string, command: string, stdout: string, gist: string, more: Partial<Told> = {}): Told {
  return {
    title,
    name: 'Bash',
    input: { command },
    text: stdout,
    report: printed(stdout),
    gist: `Bash ${gist}`,
    ...more,
  };
}

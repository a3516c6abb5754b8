import { HANDOFF_SECTIONS, type HandoffSection } from '../../governor/relief/handoff-request.ts';
import { oneLine, pluralize } from '../../text/words.ts';
import type { CommandOutcome } from '../notebook/evidence.ts';
import { HANDOFF_LIMIT, parseHandoff } from './parse-handoff.ts';

export interface Problem {
  readonly kind: 'missing section' | 'empty section' | 'no such file' | 'command failed' | 'too long';
  /** One sentence that describes the problem. */
  readonly text: string;
}

export interface Checks {
  /** Whether a file or folder exists; relative paths are relative to the working folder. */
  readonly exists: (path: string) => boolean;
  readonly outcomeOf: (command: string) => CommandOutcome;
}

/** Only the first files and commands are checked. */
const MAX_FILES = 200;
const MAX_COMMANDS = 100;

/** Maximum code points of a quoted path or command. */
const NAME_LENGTH = 200;

export function checkHandoff(text: string, { exists, outcomeOf }: Checks): Problem[] {
  const { sections, files, commands } = parseHandoff(text);
  const missing = files.slice(0, MAX_FILES).filter((path) => !exists(path));
  const failed = commands.slice(0, MAX_COMMANDS).filter(({ passed, text }) => passed && outcomeOf(text) === 'failed');
  return [
    ...(text.length > HANDOFF_LIMIT ? [tooLong(text.length)] : []),
    ...HANDOFF_SECTIONS.flatMap((section) => sectionProblem(section, sections.get(section))),
    ...missing.map(noSuchFile),
    ...failed.map((command) => commandFailed(command.text)),
  ];
}

function tooLong(length: number): Problem {
  const text = `The document has ${pluralize(length, 'character')}; the text after the first ${pluralize(HANDOFF_LIMIT, 'character')} was not checked.`;
  return { kind: 'too long', text };
}

function sectionProblem(section: HandoffSection, body: string | undefined): Problem[] {
  if (body === undefined) return [{ kind: 'missing section', text: `The section "${section}" is missing.` }];
  if (/[\p{L}\p{N}]/u.test(body)) return [];
  const text = `The section "${section}" is empty: write None if there is nothing.`;
  return [{ kind: 'empty section', text }];
}

function noSuchFile(path: string): Problem {
  const text = `The file ${oneLine(path, NAME_LENGTH)} is named but does not exist: correct the path, or add (deleted) or (to create) after it.`;
  return { kind: 'no such file', text };
}

function commandFailed(command: string): Problem {
  const text = `The document says that the command "${oneLine(command, NAME_LENGTH)}" passed, but it failed when it last ran.`;
  return { kind: 'command failed', text };
}

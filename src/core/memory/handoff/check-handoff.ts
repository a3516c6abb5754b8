import { HANDOFF_SECTIONS, type HandoffSection } from '../../governor/relief/handoff-request.ts';
import { groupsIn } from '../../protocol/fields.ts';
import { oneLine, pluralize } from '../../text/words.ts';
import type { CommandOutcome } from '../notebook/evidence.ts';

export interface HandoffProblem {
  readonly kind: 'missing section' | 'empty section' | 'no such file' | 'command failed' | 'too long';
  /** One sentence. */
  readonly text: string;
}

export interface HandoffChecks {
  /** Whether a file or folder exists; relative paths are relative to the working folder. */
  readonly exists: (path: string) => boolean;
  readonly outcomeOf: (command: string) => CommandOutcome;
}

/** Maximum numbers of files and commands to check. Later ones are not checked. */
const MAX_FILES = 200;
const MAX_COMMANDS = 100;

/** Maximum code points of a quoted path or command. */
const NAME_LENGTH = 200;

export function checkHandoff(text: string, { exists, outcomeOf }: HandoffChecks): HandoffProblem[] {
  const { sections, files, commands } = parseHandoff(text);
  const missing = files.slice(0, MAX_FILES).filter((path) => !exists(path));
  const failed = commands.slice(0, MAX_COMMANDS).filter(({ passed, text }) => passed && outcomeOf(text) === 'failed');
  const tooLong = `The document has ${pluralize(text.length, 'character')}; the text after the first ${pluralize(HANDOFF_LIMIT, 'character')} was not checked.`;
  return [
    ...(text.length > HANDOFF_LIMIT ? [{ kind: 'too long', text: tooLong } as const] : []),
    ...HANDOFF_SECTIONS.flatMap((section) => sectionProblem(section, sections.get(section))),
    ...missing.map(noSuchFile),
    ...failed.map(commandFailed),
  ];
}

function sectionProblem(section: HandoffSection, body: string | undefined): HandoffProblem[] {
  if (body === undefined) return [{ kind: 'missing section', text: `The section "${section}" is missing.` }];
  if (/[\p{L}\p{N}]/u.test(body)) return [];
  const text = `The section "${section}" is empty: write None if there is nothing.`;
  return [{ kind: 'empty section', text }];
}

function noSuchFile(path: string): HandoffProblem {
  const text = `The file ${oneLine(path, NAME_LENGTH)} is named but does not exist: correct the path, or add (deleted) or (to create) after it.`;
  return { kind: 'no such file', text };
}

function commandFailed(command: NamedCommand): HandoffProblem {
  const text = `The document says that the command "${oneLine(command.text, NAME_LENGTH)}" passed, but it failed when it last ran.`;
  return { kind: 'command failed', text };
}

/** UTF-16 units of a document that are parsed; the rest is ignored. */
const HANDOFF_LIMIT = 100_000;

/** Parses headings of any level, bold or numbered. @returns `files`: those that exist according to the document */
export function parseHandoff(text: string) {
  const sections = sectionsIn(unwrapped(text.slice(0, HANDOFF_LIMIT).split(/\r\n|[\n\r]/)));
  const unfenced = (section: HandoffSection) => (sections.get(section) ?? []).filter(({ fenced }) => !fenced);
  const texts = [...sections].map(
    ([section, own]) =>
      [
        section,
        own
          .map((line) => line.text)
          .join('\n')
          .trim(),
      ] as const,
  );
  return {
    sections: new Map(texts),
    files: [...new Set(unfenced('Files').flatMap(filesIn))],
    commands: unfenced('Commands to verify').flatMap(commandsIn),
  };
}

interface Line {
  readonly text: string;
  /** Inside a code block, or one of its fences. */
  readonly fenced: boolean;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Removes a fence around the whole document: opened before the first heading, closed by the last fence. */
function unwrapped(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => sectionIn(line) !== undefined);
  const before = lines.slice(0, Math.max(0, first)).filter(isFence).length;
  if (before % 2 === 0) return lines;
  const inner = lines.slice(first);
  return inner.filter(isFence).length % 2 === 0 ? inner : inner.slice(0, inner.findLastIndex(isFence));
}

function isFence(line: string): boolean {
  return FENCE.test(line);
}

/** Level marks or two stars, the title, and the rest of the line. */
const HEADING =
  /^ {0,3}(?:(#{1,6})\s{0,9}|(?:\d{1,2}[.)]\s{1,3})?\*\*)([^:]{1,80}?)(?:[:*#\s]{0,20}$|\*{0,2}:\*{0,2}\s{0,9}(.*)$)/;
const BOLD_LEVEL = 7;

function sectionIn(line: string) {
  const [marks, title = '', rest = ''] = groupsIn(HEADING, line.slice(0, MAX_LINE_LENGTH));
  const section = SECTION_BY_TITLE.get(wordsOf(title));
  return section && { section, level: marks?.length ?? BOLD_LEVEL, rest };
}

function withFences(lines: readonly string[]): Line[] {
  let openFence: string | undefined;
  return lines.map((text) => {
    const [mark] = groupsIn(FENCE, text);
    const fenced = openFence !== undefined || mark !== undefined;
    if (openFence === undefined) openFence = mark;
    else if (mark?.startsWith(openFence)) openFence = undefined;
    return { text, fenced };
  });
}

/** The lines below each heading, up to the next heading of the same or a higher level. */
function sectionsIn(lines: readonly string[]): Map<HandoffSection, Line[]> {
  const sections = new Map<HandoffSection, Line[]>();
  let sectionLines: Line[] | undefined;
  let level = 0;
  for (const line of withFences(lines)) {
    const section = line.fenced ? undefined : sectionIn(line.text);
    const [marks] = line.fenced ? [] : groupsIn(/^ {0,3}(#{1,6})/, line.text);
    if (section !== undefined) {
      sectionLines = sections.get(section.section) ?? [];
      sections.set(section.section, sectionLines);
      level = section.level;
      if (section.rest !== '') sectionLines.push({ text: section.rest, fenced: false });
    } else if (marks !== undefined && marks.length <= level) sectionLines = undefined;
    else sectionLines?.push(line);
  }
  return sections;
}

const SECTION_BY_TITLE: ReadonlyMap<string, HandoffSection> = new Map(
  HANDOFF_SECTIONS.map((name) => [wordsOf(name), name]),
);

/** Normalizes a title: `2. **Decisions & Why** (short)` becomes `decisions and why`. */
function wordsOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replace(/\([^()]*\)/g, ' ')
    .replace(/[^a-z]+/g, ' ')
    .trim();
}

interface NamedCommand {
  readonly text: string;
  /** Whether the document says that the command passed. */
  readonly passed: boolean;
}

const MAX_LINE_LENGTH = 2_000;

/** Text before a name in a line: a bullet or number, a checkbox, a table bar, or one word such as `New:`. */
const TEXT_BEFORE_NAME = /^[\s>|]*(?:[-*+]\s+|\d{1,3}[.)]\s+)?(?:\[[ x~]\]\s*)?(?:[A-Z][a-z]{0,12}:?\s+(?=\**`))?/;
/** A name in backticks, optionally bold, and the separator before the next name. */
const NAME = /^\**(`{1,2})(?!`)(.{1,1500}?)\1(?!`)\**(?:\s{0,9}(?:[,;&+]|and\b)\s{0,9}(?=\**`))?/;
const SUCCESS_WORDS =
  /^[\s(|:—–-]{0,9}(?:(?:0 failed, )?(?:\d{1,9} )?(?:pass(?:ed|es)?|succeeded|green|ok)\b|exit (?:code )?0\b|[✓✔✅])/i;

/** Names in backticks at the start of a line, the format that the request demands, and the text after them. */
function itemIn({ text }: Line): { readonly names: readonly string[]; readonly said: string } {
  const names: string[] = [];
  let rest = text.slice(0, MAX_LINE_LENGTH).replace(TEXT_BEFORE_NAME, '');
  for (let match = NAME.exec(rest); match !== null; match = NAME.exec(rest)) {
    names.push((match[2] ?? '').trim());
    rest = rest.slice(match[0].length);
  }
  return { names, said: rest };
}

function commandsIn(line: Line): NamedCommand[] {
  const { names, said } = itemIn(line);
  return names.map((name) => ({ text: name.replace(/^\$\s+/, ''), passed: SUCCESS_WORDS.test(said) }));
}

/** Words for files that were removed or do not exist yet. */
const ABSENCE_WORDS =
  /\b(?:delet|remov|renam|moved|gone|dropped|no longer|not yet|will\b|planned|missing|to (?:be )?(?:creat|writ|add))/i;

/** A position in a file: `:12`, `:12-40`, `:12:3`, `#L12`. */
const POSITION = /(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)$/;
/** A name with a folder or an extension, excluding URLs, options, aliases and glob patterns. */
const PATH =
  /^(?!\w+:\/|-|@\/)(?!.*(?:\.\.\.|…|\.$))(?:~?[\w@.+,=/\\-]|[^\x00-\x7f]|[A-Za-z]:[\\/])*(?:[/\\]|[^/\\.]\.[A-Za-z][\w-]{0,11}$)/;
const NO_PATH = /[*?{}$`\s<>|]/;

/** Paths that should exist: ``- `a.ts`, `b.ts`: what they are``. */
function filesIn(line: Line): string[] {
  const { names, said } = itemIn(line);
  const paths = names.map((name) => name.replace(POSITION, ''));
  return ABSENCE_WORDS.test(said) ? [] : paths.filter((path) => PATH.test(path) && !NO_PATH.test(path));
}

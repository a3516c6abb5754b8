import { HANDOFF_SECTIONS, type HandoffSection } from '../../governor/relief/handoff-request.ts';

/** What a handoff document says, as far as it can be looked up. */
export interface Handoff {
  /** The text under each heading that is there, trimmed. */
  readonly sections: ReadonlyMap<HandoffSection, string>;
  /** Paths that it says are there, in the order they come, each once. */
  readonly files: readonly string[];
  readonly commands: readonly NamedCommand[];
}

/** UTF-16 units of a document that are looked at. */
export const HANDOFF_LIMIT = 100_000;

/**
 * Reads a document as agents write it: headings of any level or in bold, numbered, in any case; a fence round the whole;
 * words before and after it.
 */
export function parseHandoff(text: string): Handoff {
  const texts = unwrapped(text.slice(0, HANDOFF_LIMIT).split(/\r\n|[\n\r]/));
  const blocks = codeBlocks(texts);
  const sections = sectionsIn(texts.map((line, at) => ({ text: line, fenced: blocks[at] !== undefined })));
  const spoken = (section: HandoffSection) => (sections.get(section) ?? []).filter(({ fenced }) => !fenced);
  const wordsIn = (own: readonly Line[]) => own.map((line) => line.text).join('\n');
  return {
    sections: new Map([...sections].map(([section, own]) => [section, wordsIn(own).trim()])),
    files: [...new Set(spoken('Files').flatMap(filesIn))],
    commands: spoken('Commands to verify').flatMap(commandsIn),
  };
}

interface Line {
  readonly text: string;
  /** In a code block, the fences included. */
  readonly fenced: boolean;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})\s{0,9}([^`\s]{0,40})/;

/** For each line the number of the line that opened its code block, the fences included; undefined outside of one. */
function codeBlocks(lines: readonly string[]): (number | undefined)[] {
  let mark: string | undefined;
  let opened: number | undefined;
  return lines.map((line, at) => {
    const [, fence, info] = FENCE.exec(line) ?? [];
    const opens = mark === undefined;
    if (opens) opened = fence === undefined ? undefined : at;
    const closes = !opens && fence?.startsWith(mark ?? '') && info === '';
    if (opens || closes) mark = opens ? fence : undefined;
    return opened;
  });
}

/** Without a fence around the whole: it was opened before the first heading, and the last fence closes it. */
function unwrapped(lines: readonly string[]): readonly string[] {
  const opened = codeBlocks(lines)[lines.findIndex((line) => headingIn(line)?.section !== undefined)];
  if (opened === undefined) return lines;
  const inner = lines.slice(opened + 1);
  // The block that one more line would be in was opened by the fence that closes the whole.
  const closing = codeBlocks([...inner, '']).at(-1);
  return inner.slice(0, closing);
}

/** Longer lines are no headings. */
const HEADING_NEAR = 160;
const BOLD_RANK = 7;

const ATX = /^ {0,3}(#{1,6})\s{0,9}(\S.*)$/;
const BOLD = /^ {0,3}(?:\d{1,2}[.)]\s{1,3})?(?:\*\*|__)([^*_]{2,60})(?:\*\*|__)\s{0,3}:?(.*)$/;

interface Heading {
  /** Undefined for any other heading. */
  readonly section: HandoffSection | undefined;
  /** Its level; bold text counts as lower than any. */
  readonly rank: number;
  readonly rest: string;
}

/** The lines below each heading. Of several headings of one name those of the highest level count. */
function sectionsIn(lines: readonly Line[]): Map<HandoffSection, Line[]> {
  const headings = lines.map(({ text, fenced }) => (fenced ? undefined : headingIn(text)));
  const ranksOf = (name: HandoffSection) => headings.flatMap((one) => (one?.section === name ? [one.rank] : []));
  const best = new Map(HANDOFF_SECTIONS.map((name) => [name, Math.min(...ranksOf(name))]));
  const sections = new Map<HandoffSection, Line[]>();
  let own: Line[] | undefined;
  let level = 0;
  for (const [at, line] of lines.entries()) {
    const { section, rank = Number.POSITIVE_INFINITY, rest } = headings[at] ?? {};
    if (section !== undefined && rank === best.get(section)) {
      own = sections.get(section) ?? [];
      sections.set(section, own);
      level = Math.min(rank, BOLD_RANK - 1);
      if (rest) own.push({ text: rest, fenced: false });
    } else if (rank <= level) own = undefined;
    else own?.push(line);
  }
  return sections;
}

function headingIn(line: string): Heading | undefined {
  const [, marks, text = ''] = ATX.exec(line) ?? [];
  if (marks !== undefined) {
    const [title = '', ...rest] = line.length > HEADING_NEAR ? [] : text.split(':');
    const whole = title === '' ? undefined : sectionOf(text);
    const said = whole === undefined ? rest.join(':').replaceAll('*', '').trim() : '';
    return { section: whole ?? sectionOf(title), rank: marks.length, rest: said };
  }
  const [, title = '', rest = ''] = BOLD.exec(line) ?? [];
  const section = sectionOf(title);
  return section && { section, rank: BOLD_RANK, rest: rest.trim() };
}

const BY_TITLE: ReadonlyMap<string, HandoffSection> = new Map(HANDOFF_SECTIONS.map((name) => [wordsOf(name), name]));

function sectionOf(title: string): HandoffSection | undefined {
  return title.length > HEADING_NEAR ? undefined : BY_TITLE.get(wordsOf(title));
}

/** `2. **Decisions & Why** (short)` comes down to `decisions and why`. */
function wordsOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replace(/\([^()]*\)/g, ' ')
    .replace(/[^a-z]+/g, ' ')
    .trim();
}

/** A command that a document names. */
export interface NamedCommand {
  readonly text: string;
  /** The document says that it passed. */
  readonly passed: boolean;
}

const LINE_NEAR = 2_000;

/** What stands before a name in a line: a bullet or number, a box, a bar of a table, one word such as `New:`. */
const LEAD = /^[\s>|]*(?:[-*+]\s+|\d{1,3}[.)]\s+)?(?:\[[ x~]\]\s*)?(?:[A-Z][a-z]{0,12}:?\s+(?=\**`))?/;
/** A name in backticks, bold or not, and what joins it to the next one. */
const NAME = /^\**(`{1,2})(?!`)(.{1,1500}?)\1(?!`)\**(?:\s{0,9}(?:[,;&+]|and\b)\s{0,9}(?=\**`))?/;
const PASSED =
  /^[\s(|:—–-]{0,9}(?:(?:0 failed, )?(?:\d{1,9} )?(?:pass(?:ed|es)?|succeeded|green|ok)\b|exit (?:code )?0\b|[✓✔✅])/i;

/** The names in backticks that a line begins with, as the request asks for them, and what it says of them. */
function itemIn({ text }: Line): { readonly names: readonly string[]; readonly said: string } {
  const names: string[] = [];
  let said = text.slice(0, LINE_NEAR).replace(LEAD, '');
  for (let found = NAME.exec(said); found !== null; found = NAME.exec(said)) {
    names.push((found[2] ?? '').trim());
    said = said.slice(found[0].length);
  }
  return { names, said };
}

function commandsIn(line: Line): NamedCommand[] {
  const { names, said } = itemIn(line);
  return names.map((name) => ({ text: name.replace(/^\$\s+/, ''), passed: PASSED.test(said) }));
}

/** Words about files that were removed or do not exist yet. */
const ABSENT =
  /\b(?:delet|remov|renam|moved|gone|dropped|no longer|not yet|will\b|planned|missing|to (?:be )?(?:creat|writ|add))/i;

/** A place in a file: `:12`, `:12-40`, `:12:3`, `#L12`. */
const POSITION = /(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)$/;
/** One with a folder or an extension; no address, option, alias or pattern for many. */
const PATH =
  /^(?!\w+:\/|-|@\/)(?!.*(?:\.\.\.|…|\.$))(?:~?[\w@.+,=/\\-]|[^\x00-\x7f]|[A-Za-z]:[\\/])*(?:[/\\]|[^/\\.]\.[A-Za-z][\w-]{0,11}$)/;
const NO_PATH = /[*?{}$`\s<>|]/;

/** Paths that are said to be there: ``- `a.ts`, `b.ts`: what they are``. */
function filesIn(line: Line): string[] {
  const { names, said } = itemIn(line);
  const paths = names.map((name) => name.replace(POSITION, ''));
  return ABSENT.test(said) ? [] : paths.filter((path) => PATH.test(path) && !NO_PATH.test(path));
}

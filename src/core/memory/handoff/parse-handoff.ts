import { HANDOFF_SECTIONS, type HandoffSection } from '../../governor/relief/handoff-request.ts';
import { commandsIn, filesInList, filesInText, type NamedCommand } from './claims.ts';

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
  const lines = markLines(unwrapped(text.slice(0, HANDOFF_LIMIT).split(/\r\n|[\n\r]/)));
  const sections = new Map<HandoffSection, Line[]>();
  for (const { section, from, to, rest } of placesOf(lines)) {
    const own = [...(rest === '' ? [] : [{ text: rest, fenced: false }]), ...lines.slice(from + 1, to)];
    const earlier = sections.get(section);
    if (earlier === undefined) sections.set(section, own);
    else for (const line of own) earlier.push(line);
  }
  const spoken = (section: HandoffSection) =>
    (sections.get(section) ?? []).filter(({ fenced }) => !fenced).map((line) => line.text);
  return {
    sections: new Map(
      [...sections].map(([section, own]) => [
        section,
        own
          .map((line) => line.text)
          .join('\n')
          .trim(),
      ]),
    ),
    files: [...new Set([...filesInList(spoken('Files')), ...filesInText(spoken('Done'))])],
    commands: commandsIn(sections.get('Commands to verify') ?? []),
  };
}

interface Line {
  readonly text: string;
  /** In a code block, the fences included. */
  readonly fenced: boolean;
}

interface Place {
  readonly section: HandoffSection;
  /** What stands behind the heading in its line. */
  readonly rest: string;
  /** The line of the heading, and the line that ends its section. */
  readonly from: number;
  readonly to: number;
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
  const opened = codeBlocks(lines)[lines.findIndex((line) => headingIn(line) !== undefined)];
  if (opened === undefined) return lines;
  const inner = lines.slice(opened + 1);
  // The block that one more line would be in was opened by the fence that closes the whole.
  const closing = codeBlocks([...inner, '']).at(-1);
  return inner.slice(0, closing);
}

function markLines(lines: readonly string[]): Line[] {
  const blocks = codeBlocks(lines);
  return lines.map((text, at) => ({ text, fenced: blocks[at] !== undefined }));
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

/** Where the sections are. Of several headings of one name those of the highest level count. */
function placesOf(lines: readonly Line[]): Place[] {
  const headings = lines.flatMap(({ text, fenced }, at) => {
    const heading = fenced ? undefined : (headingIn(text) ?? otherHeading(text));
    return heading === undefined ? [] : [{ ...heading, at }];
  });
  const best = new Map<HandoffSection, number>();
  for (const { section, rank } of headings) {
    if (section !== undefined) best.set(section, Math.min(rank, best.get(section) ?? rank));
  }
  const isOurs = ({ section, rank }: Heading) => section !== undefined && rank === best.get(section);
  const ends = (one: Heading | undefined, rank: number) =>
    one !== undefined && (isOurs(one) || one.rank <= Math.min(rank, BOLD_RANK - 1));
  return headings.flatMap(({ section, rank, rest, at: from }, index) => {
    if (section === undefined || rank !== best.get(section)) return [];
    let next = index + 1;
    while (next < headings.length && !ends(headings[next], rank)) next++;
    return [{ section, rest, from, to: headings[next]?.at ?? lines.length }];
  });
}

function headingIn(line: string): (Heading & { readonly section: HandoffSection }) | undefined {
  if (line.length > HEADING_NEAR && !/^ {0,3}(?:\d{1,2}[.)]\s{1,3})?(?:\*\*|__)/.test(line)) return undefined;
  const [, marks, text = ''] = ATX.exec(line) ?? [];
  if (marks !== undefined) {
    const [title = '', ...rest] = text.split(':');
    const section = sectionOf(text) ?? sectionOf(title);
    const said = sectionOf(text) === undefined ? rest.join(':').replaceAll('*', '').trim() : '';
    return section && { section, rank: marks.length, rest: said };
  }
  const [, title = '', rest = ''] = BOLD.exec(line) ?? [];
  const section = sectionOf(title);
  return section && { section, rank: BOLD_RANK, rest: rest.trim() };
}

function otherHeading(line: string): Heading | undefined {
  const marks = ATX.exec(line)?.[1];
  return marks === undefined ? undefined : { section: undefined, rank: marks.length, rest: '' };
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

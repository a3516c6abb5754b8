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
  const spoken = (section: HandoffSection) =>
    (sections.get(section) ?? []).filter(({ fenced }) => !fenced).map((line) => line.text);
  const wordsIn = (own: readonly Line[]) => own.map((line) => line.text).join('\n');
  return {
    sections: new Map([...sections].map(([section, own]) => [section, wordsIn(own).trim()])),
    files: [...new Set([...filesInList(spoken('Files')), ...filesInText(spoken('Done'))])],
    commands: commandsIn(sections.get('Commands to verify') ?? []),
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

/** A command that a document names, and how it says that it ended. */
export interface NamedCommand {
  readonly text: string;
  readonly claim: 'passed' | 'failed' | 'not run' | undefined;
}

/** Lines of a code block that are a remark, or a fence. */
const NO_COMMAND = /^(?:#|`{3}|~{3})/;

const LINE_NEAR = 2_000;

/** What is said first counts: `2 failed, 10 passed`. A command that should pass has not been run. */
const CLAIM =
  /\b(?:(?<notRun>(?:not|never|un)(?:\s|-)?(?:yet\s+)?(?:been\s+)?(?:run|ran|verified|tested|executed)|(?:should|must|will|needs? to|has to|expected to)(?:\s+now)?\s+(?:pass|succeed)|skipped|pending)|(?<failed>(?:not|never|\w{1,8}n['’]t)\s+(?:yet\s+)?(?:pass\w*|succe\w+)|(?<!\b0\s)fail\w*|broken|red|exit(?:s|ed)?(?:\s+(?:code|status|with))*\s+[1-9]\d*)|(?<passed>pass(?:ed|es|ing)?|succe(?:eds?|eded|ss\w*)|green|ok|exit(?:s|ed)?(?:\s+(?:code|status|with))*\s+0))\b|(?<tick>[✓✔✅])|(?<cross>[✗✘❌])/iu;

const SPAN = /(?<!`)(`{1,3})(?!`)([^`]{1,1500}|[^`]{1,1500}(?:`[^`]{1,500}){1,4})\1(?!`)/g;
/** Between commands of which one thing is said. */
const JOINED = /^\s{0,9}(?:,|;|&|\+|\/|and|then|,\s?and)?\s{0,9}$/;
const BULLET = /^[\s>|]*(?:[-*+]\s+|\d{1,3}[.)]\s+)?(?:\[[ x~]\]\s*)?/;
/** What separates a command from what is said of it where it is not quoted. */
const DASH = /\s(?:—|–|--|-|→)\s|:\s/g;

/** The commands in lines of a list, each with what is said behind it. `fenced`: the line is one of a code block. */
function commandsIn(lines: readonly Line[]): NamedCommand[] {
  return lines.flatMap(({ text, fenced }) => {
    const line = text.slice(0, LINE_NEAR);
    if (line.trim() === '') return [];
    if (fenced) return inBlock(line);
    const quoted = quotedIn(line);
    return quoted.length > 0 ? quoted : plainIn(line);
  });
}

function quotedIn(line: string): NamedCommand[] {
  const spans = [...line.matchAll(SPAN)];
  const found: NamedCommand[] = [];
  let next: NamedCommand | undefined;
  for (let at = spans.length - 1; at >= 0; at--) {
    const span = spans[at];
    if (span === undefined) continue;
    const rest = line.slice(span.index + span[0].length, spans[at + 1]?.index ?? line.length);
    next = { text: typed(span[2] ?? ''), claim: claimIn(rest) ?? (JOINED.test(rest) ? next?.claim : undefined) };
    found.unshift(next);
  }
  return found;
}

function plainIn(line: string): NamedCommand[] {
  const lead = BULLET.exec(line)?.[0].length ?? 0;
  const item = line.slice(lead);
  for (const { index, 0: dash } of item.matchAll(DASH)) {
    const said = item.slice(index + dash.length).trimStart();
    const claim = CLAIM.exec(said.slice(0, 60));
    if (claim !== null && claim.index <= 4) return [{ text: item.slice(0, index).trim(), claim: claimIn(said) }];
  }
  return [];
}

function inBlock(line: string): NamedCommand[] {
  const comment = line.indexOf(' #');
  const text = typed(comment < 0 ? line : line.slice(0, comment));
  return text === '' || NO_COMMAND.test(text) ? [] : [{ text, claim: claimIn(comment < 0 ? '' : line.slice(comment)) }];
}

function typed(text: string): string {
  return text.trim().replace(/^\$\s+/, '');
}

function claimIn(text: string): NamedCommand['claim'] {
  const groups = CLAIM.exec(text)?.groups;
  if (groups === undefined) return undefined;
  if (groups.notRun !== undefined) return 'not run';
  return groups.passed !== undefined || groups.tick !== undefined ? 'passed' : 'failed';
}

/** Words about files that were removed or do not exist yet. */
const ABSENT =
  /\b(?:delet|remov|renam|mov(?:ed|ing)\b|gone\b|drop(?:ped)?\b|no longer|not yet|will\b|planned|missing|non-?exist|does(?:n['’]t| not) exist|to (?:be )?(?:creat|writ|add|ma[kd]e)|(?:still|yet) to\b|create\b|todo\b)/i;

/** What stands before the path in a line: a bullet or number, a box, a bar of a table, bold, one word such as `New:`. */
const LEAD = /^[\s>|]*(?:[-*+]\s+|\d{1,3}[.)]\s+)?(?:\[[ x~]\]\s*)?(?:[A-Z][a-z]{0,12}:?\s+(?=`))?\**/;
/** A line that introduces the ones below it. */
const LABEL = /^\s*(?:#{1,6}\s|\*\*|[^-*+\s].*:\s*$)/;
const QUOTED = /`([^`]{1,400})`/y;
const PLAIN = /([^\s`,;:()|*]{3,400})(?=\**(?:$|[,;:|)]|\s+(?:[-–—→(|]|and\b|$)))/y;
const BETWEEN = /\**(?:\s{0,9}[,&|+]\s{0,9}(?:and\s+)?|\s+and\s+)\**/y;
const INSIDE = /`([^`]{1,400})`/g;

/** A place in a file: `:12`, `:12-40`, `:12:3`, `#L12`. */
const POSITION = /(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)$/;
const PATH = /^(?:~?[\w@.+,=/\\-]|[^\x00-\x7f]|[A-Za-z]:[\\/])+$/;
/** Addresses, options, aliases, figures, and what is left out. */
const NO_PATH = /^(?:\w+:\/|-|@\/|[\d.,/+=-]+$)|\.\.\.|…|\.$/;
const EXTENSION = /[^/\\.]\.[A-Za-z][\w-]{0,11}$|[/\\]\.[A-Za-z][\w.-]+$/;
const IN_FOLDER = /[/\\]/;

/** Paths that begin the items of a list and are said to be there: ``- `a.ts`, `b.ts`: what they are``. */
function filesInList(lines: readonly string[]): string[] {
  let absentGroup = false;
  return lines.flatMap((text) => {
    const line = text.slice(0, LINE_NEAR);
    const { all, certain } = leading(line);
    if (all.length === 0 && LABEL.test(line)) absentGroup = ABSENT.test(line);
    return absentGroup || saysAbsent(line, all) ? [] : certain;
  });
}

/** Paths in running text, of which only those are certain that name a folder and have an extension. */
function filesInText(lines: readonly string[]): string[] {
  return lines.flatMap((text) => {
    const line = text.slice(0, LINE_NEAR);
    const paths = [...line.matchAll(INSIDE)].flatMap(([, span = '']) => pathIn(span) ?? []);
    return saysAbsent(line, paths) ? [] : paths.filter((path) => IN_FOLDER.test(path) && EXTENSION.test(path));
  });
}

/** Its words, not those of a path. */
function saysAbsent(line: string, paths: readonly string[]): boolean {
  return ABSENT.test(paths.reduce((rest, path) => rest.replace(path, ''), line));
}

function leading(line: string): { readonly all: string[]; readonly certain: string[] } {
  const all: string[] = [];
  const certain: string[] = [];
  let at = LEAD.exec(line)?.[0].length ?? 0;
  while (at < line.length) {
    const quoted = matchAt(QUOTED, line, at);
    const match = quoted ?? matchAt(PLAIN, line, at);
    const path = pathIn(match?.[1] ?? '');
    if (match === null || path === undefined) break;
    all.push(path);
    if (EXTENSION.test(path) || IN_FOLDER.test(quoted === null ? path.slice(-1) : path)) certain.push(path);
    at += match[0].length;
    const between = matchAt(BETWEEN, line, at);
    if (between === null) break;
    at += between[0].length;
  }
  return { all, certain };
}

/** Undefined for what is no path, or a pattern for many. */
function pathIn(text: string): string | undefined {
  const path = text.trim().replace(POSITION, '');
  return PATH.test(path) && !NO_PATH.test(path) ? path : undefined;
}

function matchAt(sticky: RegExp, line: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(line);
}

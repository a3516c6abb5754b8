/** A command that a document names, and how it says that it ended. */
export interface NamedCommand {
  readonly text: string;
  /** Undefined where it does not say. */
  readonly claim: Claim | undefined;
}

export type Claim = 'passed' | 'failed' | 'not run';

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
export function commandsIn(lines: readonly { readonly text: string; readonly fenced: boolean }[]): NamedCommand[] {
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

/** Without the prompt of a shell. */
function typed(text: string): string {
  return text.trim().replace(/^\$\s+/, '');
}

function claimIn(text: string): Claim | undefined {
  const groups = CLAIM.exec(text)?.groups;
  if (groups === undefined) return undefined;
  if (groups.notRun !== undefined) return 'not run';
  return groups.passed !== undefined || groups.tick !== undefined ? 'passed' : 'failed';
}

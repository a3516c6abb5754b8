import {
  type Assignment,
  type CommandNode,
  type CompoundCommand,
  forEachChild,
  type Word as ParsedWord,
  type PipelineNode,
  parse,
  type Redirection,
  type Statement,
  type SyntaxNode,
  type WordPart,
} from 'unbash';

/** Commands separated by `;`, `&` or line feeds. */
export type List = readonly Chain[];

/** Pipelines joined with `&&` and `||`. */
export interface Chain {
  readonly links: readonly Link[];
  readonly background: boolean;
}

export interface Link {
  /** It runs only when what comes before it fails: it stands after `||`. */
  readonly otherwise: boolean;
  readonly negated: boolean;
  readonly commands: readonly Command[];
}

/** Where something begins and ends in the text, in UTF-16 units. */
interface Place {
  readonly from: number;
  readonly to: number;
}

export interface Command extends Place {
  /**
   * - `simple`: a program with its arguments.
   * - `block`: a group, a loop, a condition or a test; whether and how often its words are run is not certain.
   */
  readonly kind: 'simple' | 'block';
  /** Of a program, without the assignments before it; of a block, all that are in it. */
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
}

/** A word of a command line, quotes taken off. */
export interface Word extends Place {
  /** What the shell makes of it; null where that is not certain (variables, substitutions, globs, braces, a tilde). */
  readonly text: string | null;
  readonly raw: string;
}

/** A redirection; descriptor numbers and the bodies of here-documents are not kept. */
export interface Redirect {
  readonly operator: string;
  readonly target: Word;
}

/**
 * The structure of the text of a Bash call; undefined where it has an error of syntax, or defines functions. zsh runs
 * such texts as well: what only zsh reads otherwise is an error here or not certain.
 */
export function shellLists(command: string): List | undefined {
  const script = parse(command);
  return script.errors !== undefined || definesFunction(script) ? undefined : script.commands.map(chainOf);
}

/** After a definition a name may stand for anything. */
function definesFunction(node: SyntaxNode): boolean {
  if (node.type === 'Function' || node.type === 'Coproc') return true;
  let found = false;
  forEachChild(node, (child) => {
    found ||= !isLeaf(child) && definesFunction(child);
  });
  return found;
}

/** What is in a word happens elsewhere. */
function isLeaf({ type }: SyntaxNode): boolean {
  return type === 'Word' || type === 'Assignment' || type === 'HereDoc';
}

function chainOf({ command, background = false }: Statement): Chain {
  if (command.type !== 'AndOr') return { links: [linkOf(command, false)], background };
  const links = command.commands.map((pipeline, at) => linkOf(pipeline, command.operators[at - 1] === '||'));
  return { links, background };
}

function linkOf(node: PipelineNode, otherwise: boolean): Link {
  if (node.type !== 'Pipeline') return { otherwise, negated: false, commands: [commandOf(node, [])] };
  const negations = node.prefixes.filter(({ type }) => type === 'Negation');
  const commands = node.commands.map((command) => commandOf(command, []));
  return { otherwise, negated: negations.length % 2 === 1, commands };
}

function commandOf(node: CommandNode | CompoundCommand, redirects: readonly Redirect[]): Command {
  const common = { redirects, from: node.pos, to: node.end };
  switch (node.type) {
    case 'Command': {
      const words = [...(node.name === undefined ? [] : [node.name]), ...node.args].map(wordOf);
      return { ...common, kind: 'simple', words, redirects: node.redirects.flatMap(redirectOf) };
    }
    case 'Redirected':
      return commandOf(node.command, node.redirects.flatMap(redirectOf));
    default:
      return { ...common, kind: 'block', words: wordsIn(node) };
  }
}

function wordsIn(node: SyntaxNode): Word[] {
  const words: Word[] = [];
  forEachChild(node, (child) => {
    if (child.type === 'Word' || child.type === 'Assignment') words.push(wordOf(child));
    else if (!isLeaf(child)) for (const word of wordsIn(child)) words.push(word);
  });
  return words;
}

function redirectOf({ operator, ...node }: Redirection): Redirect[] {
  if (node.type !== 'HereDoc') return node.target === undefined ? [] : [{ operator, target: wordOf(node.target) }];
  const { delimiter } = node;
  if (delimiter === undefined) return [];
  const { value, text, pos, end } = delimiter;
  return [{ operator, target: { text: value, raw: text, from: pos, to: end } }];
}

function wordOf(node: ParsedWord | Assignment): Word {
  const { text: raw, pos: from, end: to } = node;
  if (node.type === 'Assignment') return { text: null, raw, from, to };
  const { value, parts = [] } = node;
  // zsh takes the place of a program for `=name`.
  const isCertain = !/^[~=]/.test(raw) && parts.every(isFixed);
  return { text: isCertain ? value : null, raw, from, to };
}

function isFixed(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') return part.parts.every(isFixed);
  return part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted';
}

/** Programs that run the command that follows them. */
const CARRIERS = new Set(['sudo', 'command', 'builtin', 'nohup', 'env', 'time', 'timeout']);
/** A variable before a command, and what may stand between a carrier and its command. */
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
const CARRIER_OPTION: Readonly<Record<string, RegExp>> = { sudo: /^-[nEH]$/, timeout: /^(?:-\S+|\d[\d.]*[smhd]?)$/ };

/** A program and its arguments, without the variables and the programs before it that only run it. */
export function programIn(words: readonly Word[]): readonly Word[] {
  let carrier = '';
  for (const [at, { raw, text }] of words.entries()) {
    if (text !== null && CARRIERS.has(text)) carrier = text;
    else if (!ASSIGNMENT.test(raw) && CARRIER_OPTION[carrier]?.test(raw) !== true) return words.slice(at);
  }
  return [];
}

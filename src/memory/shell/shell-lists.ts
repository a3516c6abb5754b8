import { isOperator, type Redirect, shellWords, type Token, type Word } from './shell-words.ts';

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

/**
 * - `simple`: a program with its arguments.
 * - `group`: `{ …; }`.
 * - `subshell`: `( … )`.
 * - `block`: a loop, a condition or a test; whether and how often its words are run is not certain.
 */
export type Command = Simple | Group | Block;

export interface Simple {
  readonly kind: 'simple';
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
}

export interface Group {
  readonly kind: 'group' | 'subshell';
  readonly body: List;
  readonly redirects: readonly Redirect[];
}

export interface Block {
  readonly kind: 'block';
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
}

const DEPTH_LIMIT = 50;
const OPENERS = new Set(['if', 'for', 'while', 'until', 'case', 'select']);
const CLOSERS = new Set(['fi', 'done', 'esac']);
/** Keywords after which a command begins. */
const STARTERS = new Set(['if', 'while', 'until', 'then', 'do', 'else', 'elif', '!', '{', 'time']);
/** Keywords that can't begin a command, or begin one that is not read here. */
const STRAY = new Set([...CLOSERS, 'then', 'do', 'else', 'elif', '}', 'function', 'coproc', ']]']);

/** The structure of a shell text; undefined where it can't be understood, or where it defines functions. */
export function shellLists(command: string): List | undefined {
  const tokens = shellWords(command);
  if (tokens === undefined) return undefined;
  const parser = new Parser(tokens);
  const list = parser.list();
  return parser.failed || parser.left > 0 ? undefined : list;
}

/** After a failure every method returns at once with something empty. */
class Parser {
  failed = false;
  private at = 0;
  private depth = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  get left(): number {
    return this.tokens.length - this.at;
  }

  list(): List {
    const chains: Chain[] = [];
    if (++this.depth > DEPTH_LIMIT) this.failed = true;
    for (this.skipSeparators(); !this.failed && !this.atListEnd(); this.skipSeparators()) {
      const links = this.links();
      const background = this.accept('&');
      chains.push({ links, background });
      if (!background && !this.atListEnd() && !this.atSeparator()) this.failed = true;
    }
    this.depth--;
    return chains;
  }

  private links(): Link[] {
    const links = [this.pipeline(false)];
    while (!this.failed) {
      const otherwise = this.accept('||');
      if (!otherwise && !this.accept('&&')) break;
      this.skipLines();
      links.push(this.pipeline(otherwise));
    }
    return links;
  }

  private pipeline(otherwise: boolean): Link {
    let negated = false;
    for (; this.atWord('!'); this.at++) negated = !negated;
    const commands = [this.command()];
    while (!this.failed && (this.accept('|') || this.accept('|&'))) {
      this.skipLines();
      commands.push(this.command());
    }
    return { otherwise, negated, commands };
  }

  private command(): Command {
    if (this.accept('(')) return this.group('subshell');
    const token = this.tokens[this.at];
    if (token?.kind !== 'word') return this.simple();
    if (token.raw === '{') {
      this.at++;
      return this.group('group');
    }
    if (token.raw === '[[') return this.block(() => this.test());
    if (OPENERS.has(token.raw)) return this.block(() => this.compound());
    if (STRAY.has(token.raw)) this.failed = true;
    return this.simple();
  }

  private group(kind: 'group' | 'subshell'): Group {
    // `((` is arithmetic, `()` a function.
    if (isOperator(this.tokens[this.at], '(') || isOperator(this.tokens[this.at], ')')) this.failed = true;
    const body = this.list();
    const closed = kind === 'group' ? this.atWord('}') : isOperator(this.tokens[this.at], ')');
    if (closed) this.at++;
    else this.failed = true;
    return { kind, body, redirects: this.redirects() };
  }

  private simple(): Simple {
    const words: Word[] = [];
    const redirects: Redirect[] = [];
    for (let token = this.tokens[this.at]; token !== undefined; token = this.tokens[++this.at]) {
      if (token.kind === 'word') words.push(token);
      else if (token.kind === 'redirect') redirects.push(token);
      else break;
    }
    if (words.length + redirects.length === 0 || isOperator(this.tokens[this.at], '(')) this.failed = true;
    return { kind: 'simple', words, redirects };
  }

  private block(skip: () => void): Block {
    const from = this.at;
    skip();
    const words = this.tokens.slice(from, this.at).filter((token) => token.kind === 'word');
    return { kind: 'block', words, redirects: this.redirects() };
  }

  /** Passes `[[ … ]]`. */
  private test(): void {
    while (!this.atWord(']]') && this.left > 0) this.at++;
    if (this.left === 0) this.failed = true;
    else this.at++;
  }

  /** Passes a loop, a condition or a `case`, with all that are in it. */
  private compound(): void {
    let open = 0;
    let starts = true;
    while (this.left > 0 && !this.atFunction()) {
      const token = this.tokens[this.at++];
      const keyword: string = starts && token?.kind === 'word' ? token.raw : '';
      if (OPENERS.has(keyword)) open++;
      if (CLOSERS.has(keyword) && --open === 0) return;
      starts = token?.kind === 'operator' || STARTERS.has(keyword);
    }
    this.failed = true;
  }

  private atFunction(): boolean {
    return isOperator(this.tokens[this.at], '(') && isOperator(this.tokens[this.at + 1], ')');
  }

  private redirects(): Redirect[] {
    const redirects: Redirect[] = [];
    for (let token = this.tokens[this.at]; token?.kind === 'redirect'; token = this.tokens[++this.at])
      redirects.push(token);
    return redirects;
  }

  private skipSeparators(): void {
    while (this.atSeparator()) this.at++;
  }

  private skipLines(): void {
    while (this.accept('\n'));
  }

  private atSeparator(): boolean {
    return isOperator(this.tokens[this.at], ';') || isOperator(this.tokens[this.at], '\n');
  }

  private atListEnd(): boolean {
    return this.left === 0 || this.atWord('}') || isOperator(this.tokens[this.at], ')');
  }

  private atWord(raw: string): boolean {
    const token = this.tokens[this.at];
    return token?.kind === 'word' && token.raw === raw;
  }

  private accept(operator: string): boolean {
    const found = isOperator(this.tokens[this.at], operator);
    if (found) this.at++;
    return found;
  }
}

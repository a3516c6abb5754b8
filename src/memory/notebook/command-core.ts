import { isOperator, shellWords, type Token } from '../shell/shell-words.ts';

/** Commands longer than this are compared by their beginning. */
const NEAR = 2_000;

/** What a command line comes down to when it is asked whether two of them are the same. */
export interface CommandCore {
  /** Without folders and variables before it, and without what only shows its output. */
  readonly text: string;
  /** Its output was piped to a program whose exit status has taken the place of its own. */
  readonly piped: boolean;
}

const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
/** They run what follows them. */
const CARRIERS = new Set(['env', 'time', 'command', 'builtin', 'nohup']);
/** They show what comes in, all of it or a part. */
const VIEWERS = new Set(['tail', 'head', 'cat', 'tee', 'less']);
const OUTPUTS = new Set(['>', '>>', '>&', '&>', '&>>', '>|']);

/** `cd app && CI=1 npm  test 2>&1 | tail -5` comes down to `npm test`. */
export function commandCore(command: string): CommandCore {
  const near = command.slice(0, NEAR);
  const tokens = shellWords(near);
  if (tokens === undefined) return { text: near.replace(/\s+/g, ' ').trim(), piped: false };
  const own = tokens.slice(prefixLength(tokens));
  const pipe = viewedFrom(own);
  return { text: written(withoutOutputs(own.slice(0, pipe))), piped: pipe !== undefined };
}

function prefixLength(tokens: readonly Token[]): number {
  let at = 0;
  for (let next = skipOne(tokens, at); next > at; next = skipOne(tokens, at)) at = next;
  return at < tokens.length ? at : 0;
}

/** Behind one word, or one `cd …`, that says nothing about what is run. */
function skipOne(tokens: readonly Token[], at: number): number {
  const raw = rawOf(tokens[at]);
  if (raw === 'cd') return isEnd(tokens[at + 2]) ? at + 3 : at;
  if (raw === 'timeout') return behindTimeout(tokens, at + 1);
  return ASSIGNMENT.test(raw) || CARRIERS.has(raw) ? at + 1 : at;
}

function behindTimeout(tokens: readonly Token[], from: number): number {
  let at = from;
  while (rawOf(tokens[at]).startsWith('-')) at++;
  return at + 1;
}

function isEnd(token: Token | undefined): boolean {
  return isOperator(token, '&&') || isOperator(token, ';') || isOperator(token, '\n');
}

/** Where the pipe begins when there is one command and everything behind it only shows what it prints. */
function viewedFrom(tokens: readonly Token[]): number | undefined {
  const operators = tokens.flatMap((token, at) => (token.kind === 'operator' ? [at] : []));
  const isView = (at: number) =>
    (isOperator(tokens[at], '|') || isOperator(tokens[at], '|&')) && VIEWERS.has(rawOf(tokens[at + 1]));
  return operators.length > 0 && operators.every(isView) ? operators[0] : undefined;
}

/** Where the output goes does not change the exit status. */
function withoutOutputs(tokens: readonly Token[]): readonly Token[] {
  let end = tokens.length;
  for (let last = tokens[end - 1]; last?.kind === 'redirect' && OUTPUTS.has(last.operator); last = tokens[end - 1])
    end--;
  return tokens.slice(0, end);
}

function written(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      // A line that goes on in the next one.
      if (token.kind === 'word') return token.raw.replaceAll('\\\n', '');
      if (token.kind === 'operator') return token.text === '\n' ? ';' : token.text;
      return `${token.operator}${token.target.raw}`;
    })
    .join(' ');
}

function rawOf(token: Token | undefined): string {
  return token?.kind === 'word' ? token.raw : '';
}

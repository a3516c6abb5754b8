import { type ClaudeOption, findClaudeOption } from './claude-options.ts';

export interface OptionToken {
  readonly kind: 'option';
  readonly name: string;
  readonly written: readonly string[];
  readonly value: string | undefined;
  /** A required value is missing. */
  readonly incomplete: boolean;
}

export interface UnknownToken {
  readonly kind: 'unknown';
  readonly name: string;
  readonly written: readonly string[];
}

export interface WordToken {
  readonly kind: 'word';
  readonly value: string;
  /** The unknown option that this word follows, with nothing but words between them. */
  readonly owner: string | undefined;
}

export type Token = OptionToken | UnknownToken | WordToken;

/** claude's arguments as its own parser tells them apart. The rules are those of commander 12, which claude bundles. */
export function tokenise(argv: readonly string[]): Token[] {
  const rest = [...argv];
  const tokens: Token[] = [];
  let owner: string | undefined;
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') {
      return [...tokens, ...rest.map((value): WordToken => ({ kind: 'word', value, owner: undefined }))];
    }
    const token: Token = isDashed(word) ? readOption(word, rest) : { kind: 'word', value: word, owner };
    tokens.push(token);
    if (token.kind !== 'word') owner = token.kind === 'unknown' && !word.includes('=') ? token.name : undefined;
  }
  return tokens;
}

/** A lone `-` is a word. */
function isDashed(word: string): boolean {
  return word.length > 1 && word.startsWith('-');
}

/** Takes the option's values off `rest`, and puts back the remainder of a cluster of short options. */
function readOption(word: string, rest: string[]): OptionToken | UnknownToken {
  const exact = findClaudeOption(word);
  if (exact !== undefined) return withValues(exact, word, rest);
  return (word.startsWith('--') ? readAssignment(word) : readCluster(word, rest)) ?? unknown(word);
}

function withValues(option: ClaudeOption, word: string, rest: string[]): OptionToken {
  const values = rest.splice(0, countValues(option, rest));
  const incomplete = values.length === 0 && (option.values === 'one' || option.values === 'many');
  return { kind: 'option', name: option.name, written: [word, ...values], value: values[0], incomplete };
}

function countValues({ values }: ClaudeOption, rest: readonly string[]): number {
  if (values === 'none') return 0;
  if (values === 'one') return Math.min(1, rest.length);
  const isFree = (word: string | undefined) => word !== undefined && !isDashed(word);
  if (values === 'optional') return isFree(rest[0]) ? 1 : 0;
  // The first value of a variadic option is required, and may therefore start with a dash.
  const end = rest.findIndex((word, index) => index > 0 && isDashed(word));
  return end === -1 ? rest.length : end;
}

/** `--name=value`. A variadic option takes only this one value then: a word behind it is free. */
function readAssignment(word: string): OptionToken | undefined {
  const equals = word.indexOf('=');
  const option = equals === -1 ? undefined : findClaudeOption(word.slice(0, equals));
  return option === undefined || option.values === 'none' ? undefined : attached(option, word, word.slice(equals + 1));
}

/** `-pc` is `-p -c`, `-rID` is `-r ID`. */
function readCluster(word: string, rest: string[]): OptionToken | undefined {
  const short = word.slice(0, 2);
  const option = findClaudeOption(short);
  if (option === undefined) return undefined;
  if (option.values !== 'none') return attached(option, word, word.slice(2));
  rest.unshift(`-${word.slice(2)}`);
  return { kind: 'option', name: option.name, written: [short], value: undefined, incomplete: false };
}

function attached(option: ClaudeOption, word: string, value: string): OptionToken {
  return { kind: 'option', name: option.name, written: [word], value, incomplete: false };
}

function unknown(word: string): UnknownToken {
  return { kind: 'unknown', name: word.replace(/=.*/s, ''), written: [word] };
}

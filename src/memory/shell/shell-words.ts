/** A word of a command line, quotes taken off. */
export interface Word {
  readonly kind: 'word';
  /** What the shell makes of it; null where that is not certain (variables, substitutions, globs, braces, a tilde). */
  readonly text: string | null;
  /** As it was typed: only an unquoted word can be a keyword. */
  readonly raw: string;
  /** Exactly one argument. */
  readonly one: boolean;
}

/** A redirection; descriptor numbers and the bodies of here-documents are not kept. */
export interface Redirect {
  readonly kind: 'redirect';
  readonly operator: string;
  readonly target: Word;
}

/** `&&`, `||`, `|`, `|&`, `;`, `;;`, `&`, `(`, `)` or a line feed. */
export interface Operator {
  readonly kind: 'operator';
  readonly text: string;
}

export type Token = Word | Redirect | Operator;

export function isOperator(token: Token | undefined, text: string): boolean {
  return token?.kind === 'operator' && token.text === text;
}

/** Deeper nesting of substitutions is taken for something that nobody has typed. */
const DEPTH_LIMIT = 50;

const BLANK = /(?:[ \t\r]|\\\n)+/y;
const REDIRECT = /\d*(<<<|<<-|<<|<>|<&|<(?!\()|>>|>\||>&|>(?!\())|(&>>|&>)/y;
const OPERATOR = /&&|\|\||;;&|;;|;&|\|&|[;&|()\n]/y;
/** Characters that mean nothing to a shell, wherever they stand in a word. */
const PLAIN = /(?:[\w./:@%+,^-]|[^\x00-\x7f])+/y;
const QUOTED_RUN = /[^"\\$`]+/y;
const PARAMETER = /[A-Za-z_]\w*|[\d@*#?$!-]/y;
const WORD_END = /[\s|&;()]/;
const SIMPLE_ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', '\\': '\\', "'": "'", '"': '"' };

class Misunderstood extends Error {}
function misunderstood(): never {
  throw new Misunderstood();
}

/**
 * Cuts the text of a Bash call (sh, bash, zsh) into tokens, here-documents taken out. Undefined where the text cannot be
 * understood (unbalanced quotes, a here-document without its end, nesting without end). Linear in the length.
 */
export function shellWords(command: string): readonly Token[] | undefined {
  try {
    return new Reader(command).tokens();
  } catch (error) {
    if (error instanceof Misunderstood) return undefined;
    throw error;
  }
}

interface HereDocument {
  readonly end: string;
  readonly tabs: boolean;
  readonly quoted: boolean;
}

class Reader {
  private at = 0;
  private depth = 0;
  private documents: HereDocument[] = [];

  constructor(private readonly text: string) {}

  /** Up to the end of the text, or inside of a substitution up to the parenthesis that closes it. */
  tokens(): Token[] {
    const tokens: Token[] = [];
    const inside = this.depth > 0;
    let open = 0;
    for (this.skipBlank(); this.at < this.text.length; this.skipBlank()) {
      const token = this.token();
      if (isOperator(token, '(')) open++;
      if (isOperator(token, ')') && open-- === 0 && inside) return tokens;
      // The patterns of a case have closing parentheses that close nothing.
      if (inside && token.kind === 'word' && token.raw === 'case') misunderstood();
      tokens.push(token);
    }
    return inside || this.documents.length > 0 ? misunderstood() : tokens;
  }

  private skipBlank(): void {
    this.take(BLANK);
    if (this.text[this.at] !== '#') return;
    const end = this.text.indexOf('\n', this.at);
    this.at = end === -1 ? this.text.length : end;
  }

  private token(): Token {
    const redirect = this.take(REDIRECT);
    if (redirect !== null) return this.redirect(redirect[1] ?? redirect[2] ?? '');
    const operator = this.take(OPERATOR);
    if (operator === null) return this.word();
    if (operator[0] === '\n') this.skipDocuments();
    return { kind: 'operator', text: operator[0] };
  }

  private redirect(operator: string): Redirect {
    this.take(BLANK);
    const target = this.word();
    if (operator === '<<' || operator === '<<-') {
      const quoted = /['"\\]/.test(target.raw);
      const end = target.text ?? misunderstood();
      this.documents.push({ end, tabs: operator === '<<-', quoted });
    }
    return { kind: 'redirect', operator, target };
  }

  private skipDocuments(): void {
    for (const document of this.documents) while (!this.skipLine(document));
    this.documents = [];
  }

  /** Whether the line that was passed is the last one of the here-document. */
  private skipLine({ end, tabs, quoted }: HereDocument): boolean {
    if (this.at >= this.text.length) misunderstood();
    const feed = this.text.indexOf('\n', this.at);
    const stop = feed === -1 ? this.text.length : feed;
    const line = this.text.slice(this.at, stop);
    this.at = stop + 1;
    if (!quoted && line.endsWith('\\')) {
      const next = this.text.indexOf('\n', this.at);
      this.at = next === -1 ? this.text.length : next + 1;
      return false;
    }
    const found = (tabs ? line.replace(/^\t+/, '') : line) === end;
    // The line feed after the end is an operator of its own, it separates commands.
    if (found) this.at = stop;
    return found;
  }

  private word(): Word {
    const start = this.at;
    const parts = new Parts();
    while (this.at < this.text.length && this.part(parts, start));
    if (this.at === start) misunderstood();
    return { kind: 'word', text: parts.text, raw: this.text.slice(start, this.at), one: parts.one };
  }

  /** Takes the next piece of a word; false where the word ends. */
  private part(parts: Parts, start: number): boolean {
    const plain = this.take(PLAIN);
    if (plain !== null) return parts.add(plain[0]);
    const char = this.text[this.at] ?? '';
    if (char === '<' || char === '>') return this.text[this.at + 1] === '(' && this.parenthesis(parts, 2, true);
    if (char === '(' && this.text[this.at - 1] === '=' && this.at > start) return this.parenthesis(parts, 1, true);
    if (WORD_END.test(char)) return false;
    if (char === '"' || char === '$' || char === '`') return this.expansion(parts, char, false);
    this.at++;
    if (char === "'") return parts.add(this.upTo("'"));
    if (char === '\\') return this.escape(parts);
    const first = this.at === start + 1;
    if ('*?[{'.includes(char) || (first && '~='.includes(char))) return parts.unknown(false);
    return parts.add(char);
  }

  /** `$(…)`, `<(…)`, `>(…)`, `=(…)`: what is in it happens elsewhere or is not certain. */
  private parenthesis(parts: Parts, length: number, one: boolean): true {
    // A here-document that is still to come would begin in the middle of the substitution.
    if (this.documents.length > 0) misunderstood();
    this.at += length;
    this.nested(() => (this.text[this.at] === '(' ? this.arithmetic() : this.tokens()));
    if (this.documents.length > 0) misunderstood();
    return parts.unknown(one);
  }

  private escape(parts: Parts): boolean {
    const char = this.text[this.at++] ?? misunderstood();
    return char === '\n' || parts.add(char);
  }

  private expansion(parts: Parts, char: string, quoted: boolean): true {
    this.at++;
    if (char === '$') return this.dollar(parts, quoted);
    if (char === '`') return this.backticks(parts, quoted);
    this.nested(() => this.doubleQuoted(parts));
    return true;
  }

  private doubleQuoted(parts: Parts): void {
    for (;;) {
      const run = this.take(QUOTED_RUN);
      if (run !== null) parts.add(run[0]);
      const char = this.text[this.at] ?? misunderstood();
      if (char === '\\') this.quotedEscape(parts);
      else if (char === '"') break;
      else this.expansion(parts, char, true);
    }
    this.at++;
  }

  private quotedEscape(parts: Parts): void {
    const next = this.text[this.at + 1] ?? misunderstood();
    this.at += 2;
    if (next !== '\n') parts.add('$`"\\'.includes(next) ? next : `\\${next}`);
  }

  private dollar(parts: Parts, quoted: boolean): true {
    const start = this.at;
    const next = this.text[start] ?? '';
    if (!quoted && next === "'") return this.escapedString(parts);
    // The string of `$"…"` is read like any other.
    if (!quoted && next === '"') return true;
    if (next === '(') return this.parenthesis(parts, 1, quoted);
    if (next === '{') this.nested(() => this.braces(quoted));
    else if (this.take(PARAMETER) === null) return parts.add('$');
    // `"$@"` and `"${list[@]}"` are several arguments.
    return parts.unknown(quoted && !this.text.slice(start, this.at).includes('@'));
  }

  /** `$((…))`: its `<<` is a shift. */
  private arithmetic(): void {
    for (let open = 1; open > 0; this.at++) {
      const char = this.text[this.at] ?? misunderstood();
      if (char === '(') open++;
      else if (char === ')') open--;
      else if ('\'"`'.includes(char)) misunderstood();
    }
  }

  private braces(quoted: boolean): void {
    for (this.at++; ; ) {
      const char = this.text[this.at] ?? misunderstood();
      if (char === '"' || char === '$' || char === '`') {
        this.expansion(new Parts(), char, true);
        continue;
      }
      this.at++;
      if (char === '}') return;
      if (char === '\\') this.at++;
      if (char === "'" && !quoted) this.upTo("'");
    }
  }

  private backticks(parts: Parts, quoted: boolean): true {
    for (;;) {
      const char = this.text[this.at++] ?? misunderstood();
      if (char === '`') return parts.unknown(quoted);
      if (char === '\\') this.at++;
    }
  }

  /** `$'…'`. */
  private escapedString(parts: Parts): true {
    for (this.at++; ; ) {
      const char = this.text[this.at++] ?? misunderstood();
      if (char === "'") return true;
      const escaped = char === '\\' ? SIMPLE_ESCAPES[this.text[this.at++] ?? ''] : char;
      if (escaped === undefined) parts.unknown(true);
      else parts.add(escaped);
    }
  }

  private upTo(end: string): string {
    const found = this.text.indexOf(end, this.at);
    if (found === -1) misunderstood();
    const passed = this.text.slice(this.at, found);
    this.at = found + 1;
    return passed;
  }

  private nested(read: () => unknown): void {
    if (++this.depth > DEPTH_LIMIT) misunderstood();
    read();
    this.depth--;
  }

  private take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found !== null) this.at += found[0].length;
    return found;
  }
}

/** What a word is put together from. */
class Parts {
  text: string | null = '';
  one = true;

  add(piece: string): true {
    if (this.text !== null) this.text += piece;
    return true;
  }

  unknown(one: boolean): true {
    this.text = null;
    this.one &&= one;
    return true;
  }
}

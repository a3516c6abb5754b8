import type { Random } from './random.ts';

/** Letters in both cases, what stands between them, and letters whose other case is ASCII, or has another length. */
const POOL = [...Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)), ...'\n\tİıſKßŉ…→é'];

const TOKEN = /\\x[0-9A-Fa-f]{2}|\\p\{\w+\}|\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:<?[=!]|:|<\w+>))?|[\s\S]/y;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y;

type Part = (before: string) => string;

/**
 * Makes texts that a pattern may match. Of what stands around a match it makes what must, and leaves out what must not: so
 * not each of them matches.
 */
export function sampler({ source, flags }: RegExp, random: Random): () => string {
  let at = 0;

  function next(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    at += match?.[0].length ?? 0;
    return match;
  }

  function alternatives(): Part {
    const forms: Part[][] = [[]];
    while (at < source.length) {
      const token = next(TOKEN)?.[0] ?? '';
      if (token === ')') break;
      if (token === '|') forms.push([]);
      else forms.at(-1)?.push(repeated(part(token)));
    }
    return (before) => (forms[random.whole(0, forms.length - 1)] ?? []).reduce((text, each) => each(text), before);
  }

  function part(token: string): Part {
    if (token.startsWith('(')) {
      const inner = alternatives();
      if (token.endsWith('!')) return (before) => before;
      // What stands before a place takes the place of what was made so far, with which it ends.
      return token === '(?<=' ? () => inner('') : inner;
    }
    if (/^(?:\^|\$|\\b)$/.test(token)) return (before) => before;
    const one = new RegExp(`^${token}$`, flags.replace('g', ''));
    const characters = POOL.filter((character) => one.test(character));
    return (before) => before + (characters[random.whole(0, characters.length - 1)] ?? token);
  }

  function repeated(one: Part): Part {
    const [least, most] = timesOf(next(QUANTIFIER));
    return (before) => {
      let made = before;
      for (let left = random.whole(least, Math.min(most, least + 3)); left > 0; left--) made = one(made);
      return made;
    };
  }

  const whole = alternatives();
  return () => whole('');
}

/** Minimum and maximum repetitions. */
function timesOf(quantifier: RegExpExecArray | null): readonly [number, number] {
  if (quantifier === null) return [1, 1];
  const [, sign, min, more, max] = quantifier;
  if (sign !== undefined) return [sign === '+' ? 1 : 0, sign === '?' ? 1 : Number.POSITIVE_INFINITY];
  return [Number(min), more === '' ? Number(min) : Number(max || Number.POSITIVE_INFINITY)];
}

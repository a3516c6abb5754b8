import { describe, expect, it } from 'vitest';
import { cutText } from '../../../src/core/text/cut-text.ts';
import { createRandom, type Random } from '../../support/random.ts';
import { sized } from '../../support/size.ts';

/** Below this there is no room for the words that say what is left out. */
const LEAST_ROOM = 300;

const GAP = /^\[… (?:(\d+) characters of )?lines? (\d+)(?:-(\d+))? left out …\]\n/;

interface Gap {
  readonly chars: number | undefined;
  readonly first: number;
  readonly last: number;
}

/** What is shown, and the gaps between it. Texts of these tests hold no `[…` of their own. */
function partsOf(cut: string): (string | Gap)[] {
  const parts: (string | Gap)[] = [];
  for (let rest = cut; rest !== ''; ) {
    const [all = '', chars, first, last] = GAP.exec(rest) ?? [];
    if (all !== '') {
      parts.push({
        chars: chars === undefined ? undefined : Number(chars),
        first: Number(first),
        last: Number(last ?? first),
      });
      rest = rest.slice(all.length);
      continue;
    }
    const next = rest.indexOf('[…');
    const shown = next < 0 ? rest : rest.slice(0, next);
    parts.push(shown);
    rest = rest.slice(shown.length);
  }
  return parts;
}

/** The offset at which the line with this number begins. */
function lineStart(text: string, line: number): number {
  let at = 0;
  for (let count = 1; count < line; count++) at = text.indexOf('\n', at) + 1;
  return at;
}

/** The text again, from what is shown and what the gaps name; what does not fit throws. */
function rebuilt(text: string, cut: string): string {
  let done = 0;
  for (const part of partsOf(cut)) {
    if (typeof part === 'string') {
      // A line that is broken off ends where the words about the gap begin.
      const shown = text.startsWith(part, done) ? part : part.replace(/\n$/, '');
      if (!text.startsWith(shown, done)) throw new Error(`"${shown.slice(0, 60)}" is not at ${done}`);
      done += shown.length;
    } else done = gapEnd(text, part, done);
  }
  return text.slice(0, done);
}

function gapEnd(text: string, { chars, first, last }: Gap, done: number): number {
  const line = text.slice(0, done).split('\n').length;
  if (line !== first) throw new Error(`the gap in line ${line} is said to begin in line ${first}`);
  const next = lineStart(text, last + 1) || text.length;
  if (chars === undefined) {
    if (done !== lineStart(text, first)) throw new Error(`line ${first} is said to be left out, and has begun`);
    return next;
  }
  const end = done + chars;
  const inside = text.slice(0, end - 1).split('\n').length;
  if (inside !== last) throw new Error(`the gap ends in line ${inside} and is said to end in line ${last}`);
  return end;
}

const WORDS = [
  'alpha',
  'x',
  '',
  'error: it broke',
  '😀',
  '漢字',
  'FAIL a/b.test.ts',
  '  --- FAIL: TestX',
  'a "b" c',
  '\t',
];

function randomText(random: Random): string {
  const end = random.pick(['\n', '\n', '\r\n']);
  const lines = Array.from({ length: random.whole(1, 400) }, () =>
    Array.from({ length: random.whole(0, random.pick([3, 12, 12, 900])) }, () =>
      random.pick(WORDS as [string, ...string[]]),
    ).join(' '),
  );
  return lines.join(end) + (random.chance(0.5) ? end : '');
}

const CASES = Array.from({ length: sized(100, 400) }, (_, seed) => {
  const random = createRandom(seed + 1);
  const text = randomText(random);
  return { seed: seed + 1, text, room: random.whole(LEAST_ROOM, Math.max(LEAST_ROOM, Math.min(text.length, 30_000))) };
}).filter(({ text, room }) => text.length > room);

function failuresOf(check: (one: (typeof CASES)[number]) => unknown): string[] {
  return CASES.flatMap((one) => {
    try {
      const fault = check(one);
      return fault === undefined || fault === '' ? [] : [`seed ${one.seed}: ${fault}`];
    } catch (error) {
      return [`seed ${one.seed}: ${error}`];
    }
  });
}

describe('a cut text', () => {
  it('never exceeds the room', () => {
    const tooLong = ({ text, room }: { text: string; room: number }) => {
      const { length } = cutText(text, room).text;
      return length <= room ? '' : `${length} in ${room}`;
    };
    expect(failuresOf(tooLong)).toEqual([]);
  });

  it('gives the original with the lines that its gaps name', () => {
    expect(failuresOf(({ text, room }) => (rebuilt(text, cutText(text, room).text) === text ? '' : 'is not'))).toEqual(
      [],
    );
  });

  it('has the beginning and the end of the original', () => {
    const isOff = ({ text, room }: { text: string; room: number }) => {
      const parts = partsOf(cutText(text, room).text);
      const [first, last] = [parts[0], parts.at(-1)];
      const begins = typeof first === 'string' && text.startsWith(first.trimEnd());
      return begins && typeof last === 'string' && text.endsWith(last) ? '' : 'does not';
    };
    expect(failuresOf(isOff)).toEqual([]);
  });

  it("counts the original's lines, and names the first incomplete line", () => {
    const isOff = ({ text, room }: { text: string; room: number }) => {
      const cut = cutText(text, room);
      const [shown] = partsOf(cut.text);
      const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
      const next = (
        typeof shown === 'string' && text.startsWith(shown) ? shown : String(shown).replace(/\n$/, '')
      ).split('\n').length;
      return cut.lines === lines && cut.nextLine === next
        ? ''
        : JSON.stringify({ ...cut, text: '', is: { lines, next } });
    };
    expect(failuresOf(isOff)).toEqual([]);
  });

  it('has no half of a character', () => {
    expect(failuresOf(({ text, room }) => (cutText(text, room).text.isWellFormed() ? '' : 'has one'))).toEqual([]);
  });

  it('uses most of the room if lines are short', () => {
    const text = 'a line of some length\n'.repeat(5_000);
    expect(cutText(text, 8_000).text.length).toBeGreaterThan(7_000);
  });
});

const filler = (lines: number) => 'all is well here\n'.repeat(lines);

describe('a failure', () => {
  it.each([
    { line: 'src/a.ts(3,5): error TS2322: Type is not assignable.' },
    { line: 'error[E0308]: mismatched types' },
    { line: 'Traceback (most recent call last)' },
    { line: 'ValueError: no such thing' },
    { line: '--- FAIL: TestParse (0.00s)' },
    { line: 'not ok 17 - parses' },
    { line: ' FAIL  test/a.test.ts > parses' },
    { line: ' ✗ parses' },
    { line: 'test parse::works ... FAILED' },
    { line: 'E       assert 1 == 2' },
    { line: "thread 'main' panicked at src/main.rs:3:5" },
    { line: 'fatal: not a git repository' },
    { line: '2026-01-01T00:00:00Z ERROR it broke' },
  ])('is kept with its neighbors: $line', ({ line }) => {
    const text = `${filler(2_000)}the line before\n${line}\nthe line after\n${filler(2_000)}`;
    expect(cutText(text, 4_000).text).toContain(`the line before\n${line}\nthe line after\n`);
  });

  it.each([
    { line: '0 errors, 0 warnings' },
    { line: 'import { StoreError as failure } from "./errors.ts";'.replace('StoreError', 'errors') },
    { line: 'handling of failures' },
  ])('is not a line that only mentions one: $line', ({ line }) => {
    expect(cutText(`${filler(2_000)}${line}\n${filler(2_000)}`, 4_000).text).not.toContain(line);
  });

  it('is kept after many failures that the beginning shows anyway', () => {
    const text = `${'warning\nerror: an early one\n'.repeat(40)}${filler(2_000)}error: the late one\n${filler(2_000)}`;
    const cut = cutText(text, 4_000).text;
    expect(cut).toContain('error: the late one');
    expect(cut.length).toBeGreaterThan(3_500);
  });
});

describe('unusual texts', () => {
  it.each([
    { what: 'a single line', text: 'x'.repeat(9_000) },
    { what: 'a single line of pairs', text: '😀'.repeat(4_500) },
    { what: 'a long line between short ones', text: `a\n${'x'.repeat(9_000)}\nb\n` },
    { what: 'empty lines', text: '\n'.repeat(9_000) },
    { what: 'carriage returns', text: 'x\r'.repeat(4_500) },
    { what: 'lines with CRLF', text: 'some line\r\n'.repeat(900) },
    { what: 'a single line of failures', text: 'error: '.repeat(1_300) },
  ])('$what', ({ text }) => {
    const cut = cutText(text, 1_000).text;
    expect(cut.length).toBeLessThanOrEqual(1_000);
    expect(rebuilt(text, cut)).toBe(text);
  });

  it.each([
    { room: 0, text: 'a\nb\nc\n', shown: '[… lines 1-3 left out …]\n' },
    { room: 0, text: 'a\nb\nc', shown: '[… lines 1-3 left out …]\n' },
    { room: 0, text: '\na', shown: '[… lines 1-2 left out …]\n' },
  ])('without room for anything: $text', ({ text, room, shown }) => {
    expect(cutText(text, room).text).toBe(shown);
  });

  it('marks a partial line', () => {
    const text = `${'x'.repeat(3_000)}\nb\n${'y'.repeat(3_000)}`;
    expect(cutText(text, 1_000).text).toMatch(/\n\[… \d+ characters of lines 1-3 left out …\]\n/);
  });
});

/** Repeated to megabytes, each has brought an expression to a standstill somewhere. */
const HOSTILE = [
  'error:',
  'error[',
  '(',
  'A',
  'AError ',
  'Aa_',
  ' ',
  '\n',
  ' \n',
  'E  ',
  'FAIL ',
  'test ',
  'test .\n',
  '\r',
  '\\',
  '-----',
  'not ok ',
];

// Anything that took the square of its length would take hours.
describe('a large uniform text is cut to its room', () => {
  it.each(HOSTILE)('%j', (unit) => {
    const { text } = cutText(unit.repeat(20_000_000 / unit.length), 28_000);
    expect(text.length).toBeLessThanOrEqual(28_000);
    expect(text.length).toBeGreaterThan(0);
  });
});

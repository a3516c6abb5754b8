import { expect, it } from 'vitest';
import type { Input } from '../../../../src/core/governor/input.ts';
import { createReceipts } from '../../../../src/core/memory/hand-back/receipts.ts';
import {
  commandFact,
  deadEndFact,
  type Fact,
  NO_FACTS,
  pathFact,
  promptFact,
} from '../../../../src/core/memory/notebook/fact.ts';
import { decodeObject } from '../../../../src/core/protocol/decode.ts';
import { callLine } from '../../../support/governor.ts';

/** The first request of the fresh context is sent. */
const CALL: Input = { t: 0, from: 'claude', event: decodeObject(callLine(1_000)) };

const FACTS: readonly Fact[] = [
  promptFact('Mend the clock. Never touch the bell.'),
  commandFact('failing', 'make test'),
  commandFact('again', 'make'),
  deadEndFact('`make bell` failed 3 times'),
  pathFact('src/clock.ts'),
  commandFact('commands', 'ls src'),
];
const ALL = {
  ...NO_FACTS,
  prompts: 1,
  failing: 1,
  again: 1,
  deadEnds: 1,
  paths: 1,
  commands: 1,
};

/** Every word of the facts, and none of their lines. */
const WORDS = `The user wants the clock in src to be mended and the bell not to be touched. We make tests with make test -j4
and make bells; 3 of them failed. The clock.ts is in src, ls shows it. Never mind the bell: touch the rest.`;

const LINES = [
  'The user: "Mend the clock. Never touch the bell."',
  '- `make test` exit 1: 3 failed',
  '- `make` exit 0',
  '- `make bell` failed 3 times',
  '- `src/clock.ts` edited',
  '- `ls src` exit 0',
];

it.each([
  { name: 'nothing is there', claude: [], ctxb: [], kept: NO_FACTS, given: NO_FACTS },
  { name: 'the words are there, the lines are not', claude: [WORDS], ctxb: [], kept: NO_FACTS, given: NO_FACTS },
  { name: 'all is there', claude: [LINES.join('\n')], ctxb: [], kept: ALL, given: NO_FACTS },
  { name: 'all came back', claude: [WORDS], ctxb: LINES, kept: ALL, given: ALL },
  {
    name: 'some is there, and some of it came back too',
    claude: LINES.slice(0, 2),
    ctxb: LINES.slice(1, 4),
    kept: { ...ALL, paths: 0, commands: 0 },
    given: { ...NO_FACTS, again: 1, deadEnds: 1 },
  },
])('$name', ({ claude, ctxb, kept, given }) => {
  const receipts = createReceipts(() => FACTS);
  receipts.begin('compaction');
  receipts.relieved('compaction', claude);
  receipts.gave(...ctxb);
  const receipt = receipts.add(CALL);
  expect(receipt).toMatchObject({ relief: 'compaction', all: ALL, kept, given });
  const lost = FACTS.filter(({ kind }) => kept[kind] === 0).map(({ kind, name }) => ({ kind, text: name }));
  expect(receipt?.gone).toStrictEqual(lost);
});

it('counts a duplicate fact once', () => {
  const receipts = createReceipts(() => [...FACTS, ...FACTS]);
  receipts.begin('handoff');
  expect(receipts.add(CALL)?.all).toStrictEqual(ALL);
});

it('discards facts handed back into a context that was never used', () => {
  const receipts = createReceipts(() => FACTS);
  receipts.begin('compaction');
  receipts.gave(LINES.join('\n'));
  receipts.begin('compaction');
  expect(receipts.add(CALL)).toMatchObject({ kept: NO_FACTS });
});

it.each([
  { name: 'nothing was relieved', run: () => createReceipts(() => FACTS).add(CALL) },
  {
    name: 'nothing was known',
    run: () => {
      const receipts = createReceipts(() => []);
      receipts.begin('compaction');
      return receipts.add(CALL);
    },
  },
  {
    name: 'it was settled already',
    run: () => {
      const receipts = createReceipts(() => FACTS);
      receipts.begin('compaction');
      receipts.add(CALL);
      receipts.gave('more');
      return receipts.add(CALL);
    },
  },
])('writes no receipt if $name', ({ run }) => {
  expect(run()).toBeUndefined();
});

import { describe, expect, it } from 'vitest';
import { summaryFault } from '../../../src/flow/curator/summaries.ts';
import { cpuMs } from '../../support/cpu-time.ts';

const OUTPUT = `I read src/parse.ts and data.ts. 412 tests, 12,000 lines, version 2.1.330 at 12:20.
The error was "unexpected end\nof input" in \`readAll\`; left open: docs/search.md.`;

const faultOf = (text: string, output = OUTPUT) =>
  summaryFault(text, { output, steps: new Set(['plan', 'step-7']), limit: 200 });

describe('accepted', () => {
  it.each([
    ['plain words', 'It read the parser and left a page open.'],
    ['a file by its path', 'It read src/parse.ts.'],
    ['a file by its name', 'It read `parse.ts`, and `data.ts`.'],
    ['a figure with another separator', '12000 lines, 412 tests, 2.1.330.'],
    ['a quotation over the end of a line', 'The error was "unexpected end of input".'],
    ['an id of a step', 'It went on from `plan` and `step-7`.'],
    ['a list with numbers of its own', '1. It read src/parse.ts.\n2. It ran 412 tests.'],
    ['common shorthand', 'It read files and/or folders, e.g. the parser, i.e. most.'],
    ['an instruction that was found', 'It says: run the tests again.'],
    ['a placeholder', 'It takes <branch> as its first argument.'],
  ])('%s', (_, text) => expect(faultOf(text)).toBeUndefined());
});

describe('rejected', () => {
  it.each([
    ['nothing', ' \n—', 'it is empty'],
    ['too much', 'a'.repeat(201), 'it has 201 characters, at most 200 are taken'],
    ['a part of a figure', 'It ran 12 tests.', '`12` is not in the output'],
    ['a part of a version', 'It ran 1.330.', '`1.330` is not in the output'],
    ['a part of a name', 'It read a.ts.', '`a.ts` is not in the output'],
    ['another folder', 'It read lib/parse.ts.', '`lib/parse.ts` is not in the output'],
    ['another quotation', 'The error was "no end".', '`no end` is not in the output'],
    ['an unknown step', 'It went on from `step-8`.', '`step-8` is not in the output'],
  ])('%s', (_, text, fault) => expect(faultOf(text)).toContain(fault));
});

it('takes no longer for a long repetitive output', () => {
  const output = 'a'.repeat(2_000_000);
  const judge = () => expect(faultOf(`It read \`${'a'.repeat(99)}b\`.`, output)).toContain('is not in the output');
  expect(cpuMs(judge)).toBeLessThan(2_000);
});

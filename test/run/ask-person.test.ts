import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Io } from '../../src/io.ts';
import { askForLimit, createDialog, readAnswer, readLimit } from '../../src/run/ask-person.ts';
import { vectorsOf } from '../support/recordings.ts';

const REACHED = { kind: 'ask-person', scope: 'run', spentUsd: 10, limitUsd: 10 } as const;

/** A terminal with a person at it. */
function terminal() {
  const stdin = new PassThrough();
  const io: Io = { stdin, stdout: new PassThrough(), stderr: new PassThrough(), env: {}, cwd: '/' };
  return { stdin, io };
}

describe('an answer at a limit', () => {
  it.each([
    { answer: 'y', limitUsd: 20 },
    { answer: ' YES ', limitUsd: 20 },
    { answer: '25', limitUsd: 25 },
    { answer: '$ 12.50', limitUsd: 12.5 },
    { answer: 'n', limitUsd: undefined },
    { answer: '', limitUsd: undefined },
    { answer: '10', limitUsd: undefined },
    { answer: '9.99', limitUsd: undefined },
    { answer: '-20', limitUsd: undefined },
    { answer: '1e3', limitUsd: undefined },
    { answer: 'yes, but only up to 12', limitUsd: undefined },
  ])('"$answer": $limitUsd', ({ answer, limitUsd }) => {
    expect(readLimit(answer, REACHED)).toBe(limitUsd);
  });

  it('yes leaves room above the spending, however far it exceeds the limit', () => {
    expect(readLimit('y', { spentUsd: 50, limitUsd: 10 })).toBe(60);
  });
});

interface Asked {
  readonly turn_costs: readonly number[];
  readonly responses?: readonly (string | null)[];
}

/** Whether the work goes on after these words. */
const goesOn = (words: string) => readLimit(words, REACHED) !== undefined;

describe('the vectors of the answers', () => {
  const VECTORS = vectorsOf<Asked, { readonly injected_after_each_turn: readonly string[] }>('cost-enforcement');
  const answered = (ids: readonly string[]) => VECTORS.filter(({ id }) => ids.includes(id));

  it.each(answered(['tp-130', 'tp-136']))('$id: $name', ({ input, expected }) => {
    expect(goesOn(input.responses?.[0] ?? '')).toBe(expected.injected_after_each_turn[0] === '');
  });

  it.each(answered(['tp-140']))('$id, fixed: $name: it does not', ({ input }) => {
    expect(goesOn(input.responses?.[0] ?? '')).toBe(false);
  });

  // A limit that somebody set holds until somebody says otherwise.
  it.each(answered(['tp-138']))('$id, deliberately different: $name', ({ input }) => {
    expect(goesOn(input.responses?.[0] ?? '')).toBe(false);
  });
});

describe('the question', () => {
  it('contains the sums, and the meaning of "y"', async () => {
    const asked: string[] = [];
    const limitUsd = await askForLimit(REACHED, async (question) => {
      asked.push(question);
      return '30';
    });
    expect(limitUsd).toBe(30);
    expect(asked).toEqual([
      'ctxb: This run cost $10.00; the limit is $10.00. Go on? [y: up to $20.00, a sum in dollars, n: wrap up] ',
    ]);
  });

  it('does not round a limit below a cent to zero', async () => {
    let asked = '';
    await askForLimit({ ...REACHED, spentUsd: 0.07, limitUsd: 0.005 }, async (question) => {
      asked = question;
      return 'n';
    });
    expect(asked).toContain('the limit is $0.0050.');
  });

  it('names the limit that "y" sets', async () => {
    let asked = '';
    const limitUsd = await askForLimit({ ...REACHED, spentUsd: 25 }, async (question) => {
      asked = question;
      return 'y';
    });
    expect(asked).toContain(`up to $${limitUsd?.toFixed(2)},`);
  });

  it('counts as no without an answer', async () => {
    expect(await askForLimit(REACHED, async () => undefined)).toBeUndefined();
  });
});

describe('the answer', () => {
  it('is the typed line', async () => {
    const { stdin, io } = terminal();
    stdin.end('30\n');
    expect(await readAnswer(io)).toBe('30');
  });

  it('is undefined when the terminal closes', async () => {
    const { stdin, io } = terminal();
    stdin.end();
    expect(await readAnswer(io)).toBeUndefined();
  });

  it('is undefined when the question is cancelled', async () => {
    const { io } = terminal();
    const over = new AbortController();
    const answer = readAnswer(io, over.signal);
    over.abort();
    expect(await answer).toBeUndefined();
  });

  it('leaves the terminal to the next question', async () => {
    const { stdin, io } = terminal();
    stdin.write('y\n');
    expect(await readAnswer(io)).toBe('y');
    stdin.write('n\n');
    expect(await readAnswer(io)).toBe('n');
  });
});

it('a cancelled question does not cancel the next one', async () => {
  const { stdin, io } = terminal();
  const dialog = createDialog(io, (_, answer) => answer());
  const first = dialog.ask('One? ');
  dialog.cancel();
  expect(await first).toBeUndefined();
  const second = dialog.ask('Two? ');
  stdin.write('y\n');
  expect(await second).toBe('y');
});

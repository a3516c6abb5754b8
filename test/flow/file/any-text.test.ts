import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { checkFlow } from '../../../src/flow/file/read-flow.ts';
import { found } from '../../support/flow.ts';
import { createRandom, type Random } from '../../support/random.ts';
import { sized } from '../../support/size.ts';

const SMALL = readFileSync(new URL('../../../fixtures/flows/small.yaml', import.meta.url), 'utf8');

const PIECES =
  'name|steps|id|inputs|prompt|profile|profiles|budgets|preset|teaching|emphasis|timeoutSeconds|__proto__|constructor'
    .split('|')
    .concat(
      ': |:|\n|\n  |\n    |\n- |- |? |, |[|]|{|}|&a |*a|<<: |!t |!!int |!!js/function |# |"|\'|| |> |%YAML 1.1\n---\n'.split(
        '|',
      ),
    )
    .concat(
      'a|b|0|-1|1.5|.nan|1e999|true|null|~|..|\t|\r|\0|\x1b[31m|\x9b|\u2028|\uFEFF|ä|😀|\ud800|---\n|...\n'.split('|'),
    );

/** Whatever the text is: a flow or findings, each one line with a remedy. */
function holds(text: string, path: string): void {
  for (const message of found(text, path))
    expect(message).toMatch(/^[^\n\r\x1b]+: expected [^\n\r\x1b]+; [^\n\r\x1b]+$/);
}

function pieces(random: Random): string {
  return Array.from({ length: random.whole(0, 40) }, () => PIECES[random.whole(0, PIECES.length - 1)]).join('');
}

/** Lines are left out, doubled, moved in, and pieces put anywhere. */
function damaged(random: Random): string {
  const lines = SMALL.split('\n').flatMap((line) => {
    const what = random.weighted({ keep: 20, drop: 1, double: 1, indent: 1, piece: 1 });
    const at = random.whole(0, line.length);
    if (what === 'piece') return [line.slice(0, at) + pieces(random).slice(0, 12) + line.slice(at)];
    return { keep: [line], drop: [], double: [line, line], indent: [`  ${line}`] }[what];
  });
  return lines.join('\n');
}

it.each([
  { name: 'pieces of YAML in any order', make: pieces, rounds: sized(400, 1500) },
  { name: 'a damaged flow', make: damaged, rounds: sized(150, 500) },
])('never throws for $name', ({ make, rounds }) => {
  const random = createRandom(2026);
  for (let round = 0; round < rounds; round += 1) {
    const text = make(random);
    holds(text, '/nowhere/f.yaml');
    holds(text, '/nowhere/f.json');
  }
});

it('never throws for a truncated flow', () => {
  for (let end = 0; end <= SMALL.length; end += 3) holds(SMALL.slice(0, end), '/nowhere/f.yaml');
});

it('reads JSON as JSON.parse does', () => {
  const random = createRandom(7);
  for (let round = 0; round < 500; round += 1) {
    const objective = `x${pieces(random)}`;
    const written = { name: 'a', steps: [{ id: 'x', objective, teaching: { constraints: [objective] } }] };
    const indent = random.pick(['', '\t', '  ']);
    const text = JSON.stringify(written, undefined, indent).replaceAll('\n', random.pick(['\n', '\r\n', '\r']));
    expect(checkFlow('f.json', text).steps).toMatchObject(written.steps);
  }
});

import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { fixture } from '../support/recordings.ts';
import { createPlace, ctxb, type Place, runFake, STREAM } from './fakes.ts';

/** A record of a run that was compacted: its lines. */
async function recorded(place: Place): Promise<string[]> {
  await runFake(place, {
    fake: 'answers',
    flags: ['--record', place.path('rec'), '--prompt', 'one', '--prompt', 'two', '--prompt', 'three'],
    claude: STREAM,
    env: { PLAY_CONTEXTS: '30000,160000,31000', CTXB_COMPACTION_HOW: 'summary' },
  });
  return (await readFile(place.path('rec'), 'utf8')).trimEnd().split('\n');
}

const isDecision = (line: string) => line.includes('"decided":');
const kindOf = (line: string) => (JSON.parse(line) as { decided: { kind: string } }).decided.kind;

interface ChangeCase {
  readonly title: string;
  readonly change: (lines: readonly string[]) => readonly string[];
  readonly said: RegExp;
}

const CHANGES: readonly ChangeCase[] = [
  {
    title: 'one digit of the policy: what was done is not done',
    change: (lines) =>
      lines.map((line, at) => (at === 0 ? line.replace('"compact\\":0.78', '"compact\\":0.98') : line)),
    said: /^rec: line \d+, action 2: expected "compact" \(160000 tokens have crossed 156000 of 200000\), found "receipt" \(.*\)\n$/,
  },
  {
    title: 'one digit of the policy: it is done for another reason',
    change: (lines) =>
      lines.map((line, at) => (at === 0 ? line.replace('"compact\\":0.78', '"compact\\":0.79') : line)),
    said: /^rec: line \d+, action 2: of "compact" expected reason ".* 156000 of 200000", found ".* 158000 of 200000"\n$/,
  },
  {
    title: 'a decision is missing at the end',
    change: (lines) => lines.filter((line) => !(isDecision(line) && kindOf(line) === 'receipt')),
    said: /^rec: line \d+, action 6: expected none, found "receipt" \(the fresh context after the compaction\)\n$/,
  },
  {
    title: 'a decision is another one',
    change: (lines) => lines.map((line) => (isDecision(line) ? line.replace('"warn"', '"focus"') : line)),
    said: /^rec: line \d+, action 1: expected "focus" \(.*\), found "warn" \(.*\)\n$/,
  },
];

describe('a record that was changed: exit 3, and the first difference', () => {
  it.each(CHANGES)('$title', async ({ change, said }) => {
    await using place = await createPlace();
    const lines = await recorded(place);
    const changed = change(lines);
    expect(changed).not.toEqual(lines);
    await place.file('rec', `${changed.join('\n')}\n`);
    const run = await ctxb(place, ['replay', '--check', 'rec']);
    expect(run.stdout.toString()).toMatch(said);
    expect(run.code).toBe(3);
  });

  it('as JSON, with the line that the decision of the run stands in', async () => {
    await using place = await createPlace();
    const lines = await recorded(place);
    const at = lines.findIndex((line) => isDecision(line) && kindOf(line) === 'warn');
    await place.file(
      'rec',
      lines.map((line, number) => (number === at ? line.replace('"warn"', '"x"') : line)).join('\n'),
    );
    const run = await ctxb(place, ['replay', '--check', '--json', 'rec']);
    expect(JSON.parse(run.stdout.toString())).toMatchObject({
      version: 1,
      checked: [
        {
          file: 'rec',
          verdict: 'different',
          line: at + 1,
          action: 1,
          expected: { kind: 'x', at: { turn: 1, call: 2 } },
          found: { kind: 'warn', at: { turn: 1, call: 2 } },
        },
      ],
    });
    expect(run.code).toBe(3);
  });
});

it('nothing to check is no agreement: a plain recording and a record of before, exit 2', async () => {
  await using place = await createPlace();
  const old = (await recorded(place)).filter((line) => !isDecision(line));
  await place.file('old', old.join('\n').replace('\\"decisions\\":true,', ''));
  const run = await ctxb(place, ['replay', '--check', fixture('compact.ndjson'), 'old']);
  expect(run.stdout.toString().match(/holds no actions to check/g)).toHaveLength(2);
  expect(run.code).toBe(2);
  const replayed = await ctxb(place, ['replay', '--json', 'old']);
  expect(JSON.parse(replayed.stdout.toString()).sessions[0].actions).toHaveLength(6);
});

it('of several records the worst counts, and what cannot be read is named', async () => {
  await using place = await createPlace();
  await recorded(place);
  const run = await ctxb(place, ['replay', '--check', 'rec', 'missing']);
  expect(run.stdout.toString()).toBe('rec: the same 6 actions\n');
  expect(run.stderr).toContain('missing: cannot be read');
  expect(run.code).toBe(2);
});

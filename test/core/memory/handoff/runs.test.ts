import { describe, expect, it } from 'vitest';
import { createEvidence } from '../../../../src/core/memory/notebook/evidence.ts';
import { comparedCommand } from '../../../../src/core/memory/shell/command-words.ts';
import { command } from '../../../support/notes.ts';

describe('the core of a command', () => {
  it.each([
    { text: 'npm test', core: 'npm test' },
    { text: '  npm \t test\\\n  --all ', core: 'npm test --all' },
    { text: 'cd app && npm test', core: 'npm test' },
    { text: 'cd "my app"; CI=1 npm test', core: 'npm test' },
    { text: 'cd a\nnpm test', core: 'npm test' },
    { text: 'env CI=1 time npm test', core: 'npm test' },
    { text: 'timeout 120 npm test', core: 'npm test' },
    { text: 'npm test 2>&1', core: 'npm test' },
    { text: 'npm test > log.txt 2>&1', core: 'npm test' },
    { text: 'npm test 2>&1 | tail -20', core: 'npm test', piped: true },
    { text: 'npm test | tee log | tail -3', core: 'npm test', piped: true },
    { text: 'npm test | grep failed', core: 'npm test | grep failed' },
    { text: 'npm run lint && npm test', core: 'npm run lint && npm test' },
    { text: 'sort < list', core: 'sort < list' },
    { text: 'cd app', core: 'cd app' },
    { text: 'CI=1', core: 'CI=1' },
    { text: 'cd app && CI=1', core: 'CI=1' },
    { text: '(npm test) > log', core: '(npm test)' },
    { text: 'echo "not closed', core: 'echo "not closed' },
    { text: '', core: '' },
  ])('$text', ({ text, core, piped = false }) => {
    expect(comparedCommand(text)).toStrictEqual({ text: core, isPiped: piped });
  });
});

const PASSED = { outcome: 'ok' } as const;

describe("the outcome of a command's last run", () => {
  it.each([
    { title: 'it passed', runs: [['npm test', 0]], asked: 'npm test', outcome: 'passed' },
    { title: 'it failed', runs: [['npm test', 1]], asked: 'npm test', outcome: 'failed' },
    {
      title: 'it passed after all',
      runs: [
        ['npm test', 1],
        ['npm test', 0],
      ],
      asked: 'npm test',
      outcome: 'passed',
    },
    {
      title: 'it fails now',
      runs: [
        ['npm test', 0],
        ['npm test', 2],
      ],
      asked: 'npm test',
      outcome: 'failed',
    },
    { title: 'it never ran', runs: [['npm test', 1]], asked: 'npm run lint', outcome: 'unknown' },
    { title: 'nothing was asked', runs: [['npm test', 1]], asked: ' ', outcome: 'unknown' },
    { title: 'it was typed otherwise', runs: [['cd app && CI=1  npm test', 1]], asked: 'npm test', outcome: 'failed' },
    {
      title: 'it failed here, and passed since elsewhere',
      runs: [
        ['cd a && npm test', 1],
        ['cd b && npm test', 0],
      ],
      asked: 'cd a && npm test',
      outcome: 'unknown',
    },
    {
      title: 'it passed here, and failed since elsewhere',
      runs: [
        ['cd a && npm test', 0],
        ['cd b && npm test', 1],
      ],
      asked: 'cd a && npm test',
      outcome: 'passed',
    },
    { title: 'its status was that of tail', runs: [['npm test | tail', 0]], asked: 'npm test', outcome: 'unknown' },
    { title: 'it found no difference to tell', runs: [['diff a b', 1, PASSED]], asked: 'diff a b', outcome: 'unknown' },
  ] as const)('$title', ({ runs, asked, outcome }) => {
    const known = createEvidence(() => []);
    for (const [text, exit, more] of runs as readonly (readonly [string, number, object?])[]) {
      known.add(command(text, exit, more));
    }
    expect(known.outcomeOf(asked)).toBe(outcome);
  });

  it.each([
    { failures: undefined, outcome: 'unknown' },
    { failures: '1 failed', outcome: 'failed' },
  ] as const)('is read from the failures in the output behind a pipe: $outcome', ({ failures, outcome }) => {
    const known = createEvidence(() => []);
    const entry = command('npm test 2>&1 | tail -5', 0);
    const { text = '' } = entry.command ?? {};
    known.add({ ...entry, command: { text, exit: 0, background: false, ms: null, tail: '', failures } });
    expect(known.outcomeOf('npm test')).toBe(outcome);
  });

  it('is unknown for a command in the background', () => {
    const known = createEvidence(() => []);
    const facts = { text: 'npm test', exit: null, background: true, ms: null, tail: '' };
    known.add({ ...command('npm test', 0), command: facts });
    expect(known.outcomeOf('npm test')).toBe('unknown');
  });

  it('is kept for a bounded number of commands', () => {
    const known = createEvidence(() => []);
    for (let n = 0; n < 2_000; n++) known.add(command(`make ${n}`, 1));
    expect([known.outcomeOf('make 1'), known.outcomeOf('make 1999')]).toStrictEqual(['unknown', 'failed']);
  });
});

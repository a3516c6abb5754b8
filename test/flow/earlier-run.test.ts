import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { PRICES } from '../../src/core/governor/cost/prices.ts';
import { earlierRuns, findRun } from '../../src/flow/earlier-run.ts';
import { openFlowRun } from '../../src/store/runs/flow-run.ts';
import { figures, fixtureFlow, keepRun } from '../support/flow-run.ts';

const { flow } = fixtureFlow('25-steps.yaml');
const places: string[] = [];

function place(): string {
  const cwd = mkdtempSync(join(tmpdir(), 'ctxb-runs-'));
  places.push(cwd);
  return cwd;
}

const runsIn = (cwd: string) => earlierRuns({ contextDir: join(cwd, '.context'), prices: PRICES });

afterEach(() => {
  for (const cwd of places.splice(0)) rmSync(cwd, { recursive: true });
});

it('finds no runs without a folder', () => {
  expect(runsIn(place())).toEqual([]);
});

describe('the files of a run', () => {
  it('returns the output of done and failed steps', () => {
    const cwd = place();
    keepRun(cwd, 'r1', flow, {
      normalize: { output: 'wishes', measured: figures() },
      frame: { output: 'half a page', measured: figures({ exit_code: 3 }) },
      clarify: { output: 'of the attempt before' },
    });
    const [run] = runsIn(cwd);
    const path = (step: string) => join(cwd, '.context', 'flows', 'r1', step, 'output.md');
    expect(run?.outputOf('normalize')).toEqual({
      ok: true,
      output: 'wishes',
      error: undefined,
      path: path('normalize'),
    });
    expect(run?.outputOf('frame')).toMatchObject({ ok: false, output: 'half a page', error: 'exit code 3' });
    expect(run?.outputOf('clarify')).toBeUndefined();
    expect(run?.outputOf('requirements')).toBeUndefined();
  });

  it('sorts receipts so that a step follows the steps it sees', () => {
    const cwd = place();
    const measured = figures();
    keepRun(cwd, 'r1', flow, {
      normalize: { output: '', measured },
      frame: { output: '', measured },
      clarify: { output: '', measured },
    });
    expect(
      runsIn(cwd)[0]
        ?.receipts()
        .map(({ step }) => step),
    ).toEqual(['normalize', 'frame', 'clarify']);
  });

  it.each([
    { title: 'all attempts, if none has ended', measured: undefined, usd: 0.33 },
    { title: 'all but the last attempt, which the receipt measures', measured: figures(), usd: 0.18 },
  ])('knows the cost of $title', ({ measured, usd }) => {
    const cwd = place();
    keepRun(cwd, 'r1', flow, { normalize: { output: '', measured } });
    const files = openFlowRun(join(cwd, '.context'), 'r1');
    const call = (id: string, input_tokens: number) => {
      const message = { id, model: 'claude-sonnet-4-5', content: [], usage: { input_tokens, output_tokens: 0 } };
      return JSON.stringify({ type: 'assistant', message, parent_tool_use_id: null });
    };
    const attempts = [
      [call('a', 10_000), call('b', 20_000)],
      [call('c', 20_000), JSON.stringify({ type: 'result', subtype: 'success', total_cost_usd: 0.09 })],
      [call('d', 50_000)],
    ];
    for (const lines of attempts) lines.forEach(files.stream('normalize'));
    const [run] = runsIn(cwd);
    expect(run?.receipts().map(run.otherAttemptsUsd)).toEqual([expect.closeTo(usd, 6)]);
  });

  it('prices attempts with the prices of the user, and adds the curators of earlier attempts', () => {
    const cwd = place();
    keepRun(cwd, 'r1', flow, { normalize: { output: '' } });
    const files = openFlowRun(join(cwd, '.context'), 'r1');
    const receipt = JSON.parse(files.read('normalize', 'receipt.json'));
    files.writeJson('normalize', 'receipt.json', { ...receipt, other_curators_usd: 0.5 });
    const message = { id: 'a', model: 'my-model', content: [], usage: { input_tokens: 10_000, output_tokens: 0 } };
    files.stream('normalize')(JSON.stringify({ type: 'assistant', message, parent_tool_use_id: null }));
    const rates = { input: 7_000_000, output: 0, cacheWrite: 0, cacheWriteHour: 0, cacheRead: 0 };
    const [run] = earlierRuns({ contextDir: join(cwd, '.context'), prices: { 'my-model': rates } });
    expect(run?.receipts().map(run.otherAttemptsUsd)).toEqual([expect.closeTo(0.57, 6)]);
  });

  it.each([
    { title: 'no JSON', text: '{"version":1' },
    { title: 'another version', text: '{"version":2}' },
    { title: 'something else', text: '[]' },
  ])('ignores a receipt that is $title', ({ text }) => {
    const cwd = place();
    const folder = join(cwd, '.context', 'flows', 'r1', 'a');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'receipt.json'), text);
    writeFileSync(join(folder, 'output.md'), 'A');
    const [run] = runsIn(cwd);
    expect(run?.receipts()).toEqual([]);
    expect(run?.outputOf('a')).toBeUndefined();
  });

  it('ignores files and links next to the runs', () => {
    const cwd = place();
    keepRun(cwd, 'r1', flow, {});
    mkdirSync(join(cwd, '.context', 'flows', 'r2'), { recursive: true });
    writeFileSync(join(cwd, '.context', 'flows', 'r3'), '');
    symlinkSync(tmpdir(), join(cwd, '.context', 'flows', 'r4'));
    expect(runsIn(cwd).map(({ id }) => id)).toEqual(['r2']);
  });
});

describe('finding a run', () => {
  const ids = ['20260102T000000-b', '20260102T000000-bb', '20260101T000000-a'];
  const runs = () => {
    const cwd = place();
    for (const id of ids) mkdirSync(join(cwd, '.context', 'flows', id), { recursive: true });
    return runsIn(cwd);
  };

  it('sorts the newest first', () => {
    expect(runs().map(({ id }) => id)).toEqual(['20260102T000000-bb', '20260102T000000-b', '20260101T000000-a']);
  });

  it.each([
    { name: '20260101', found: '20260101T000000-a' },
    { name: '20260102T000000-b', found: '20260102T000000-b' },
  ])('$name', ({ name, found }) => {
    expect(findRun(runs(), name).id).toBe(found);
  });

  it.each([
    { name: '2025', says: '2025: no run starts with this; there are 20260102T000000-bb, ' },
    { name: '20260102', says: 'several runs start with this; there are 20260102T000000-bb, 20260102T000000-b' },
    { name: '../../etc', says: 'no run starts with this' },
  ])('$name is refused', ({ name, says }) => {
    expect(() => findRun(runs(), name)).toThrow(says);
  });

  it('reports that there are no runs', () => {
    expect(() => findRun([], 'r')).toThrow('r: no run starts with this; there are no runs yet');
  });
});

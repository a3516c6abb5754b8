import { existsSync, mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { figures, fixtureFlow, keepRun } from '../support/flow-run.ts';
import { createPlace, ctxb, type Place } from './fakes.ts';

const { text: FLOW, flow } = fixtureFlow('25-steps.yaml');
const measured = figures();
const CURATOR = { steps: ['normalize'], files: [] };

/** A place with the flow. */
async function createFlowPlace(): Promise<Place> {
  const place = await createPlace();
  mkdirSync(place.path('docs'));
  await place.file('flow.yaml', FLOW);
  return place;
}

function keepTwoRuns(place: Place): void {
  const older = { normalize: { output: 'the older wishes', measured, curator: CURATOR } };
  const newer = { normalize: { output: 'the wishes', measured }, frame: { output: 'f'.repeat(9_000), measured } };
  keepRun(place.cwd, '20260101T000000000-aaaa-shared-lists', flow, older);
  keepRun(place.cwd, '20260102T000000000-bbbb-shared-lists', flow, newer);
  keepRun(
    place.cwd,
    '20260103T000000000-cccc-another',
    { ...flow, name: 'another' },
    { normalize: { output: 'not this', measured } },
  );
}

/** What a run of the program said on stdout, having said nothing else. */
async function said(place: Place, args: readonly string[]): Promise<string> {
  const run = await ctxb(place, args);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  return run.stdout.toString();
}

describe('ctxb flow explain', () => {
  it('before any run', async () => {
    await using place = await createFlowPlace();
    const text = await said(place, ['flow', 'explain', 'flow.yaml']);
    expect(text).toMatch(
      /^shared-lists: 25 steps, profile daily, nothing has run yet\n\nnormalize \(signal-normalizer\)\n/,
    );
    expect(text).toContain('  contextBudgetChars  300,000  step\n');
    expect(text).toContain('  historyOlderChars     8,000  flow\n');
    expect(text).toContain('  no output yet: normalize, frame\n');
    expect(existsSync(place.path('.context'))).toBe(false);
  });

  it('with the outputs of the newest run of this flow, and files that are there', async () => {
    await using place = await createFlowPlace();
    keepTwoRuns(place);
    await place.file('docs/wishes.md', 'w');
    const text = await said(place, ['flow', 'explain', 'flow.yaml']);
    expect(text).toContain('outputs of run 20260102T000000000-bbbb-shared-lists\n');
    expect(text).toContain('  cut      frame  LOW  8,000 of 9,000  longer than historyOlderChars, 8,000\n');
    expect(text).toContain('  files: docs/wishes.md\n');
    expect(text).not.toContain('problem.md');
  });

  it('--json holds the same', async () => {
    await using place = await createFlowPlace();
    keepTwoRuns(place);
    const explained = JSON.parse(await said(place, ['flow', 'explain', '--json', 'flow.yaml']));
    expect(explained).toMatchObject({ version: 1, flow: 'shared-lists', run: '20260102T000000000-bbbb-shared-lists' });
    expect(explained.steps[2]).toMatchObject({
      step: 'clarify',
      budgets: { historyOlderChars: { value: 8_000, source: 'flow' } },
      budget_warnings: [],
      without_output: [],
      receipt: {
        items: [
          { step: 'normalize', chars: 10 },
          { step: 'frame', chars: 9_000, outcome: 'included' },
        ],
      },
    });
  });

  it('reads a file of another editor, with CRLF and a byte order mark', async () => {
    await using place = await createPlace();
    await place.file('f.yaml', '\ufeffname: x\r\nsteps:\r\n  - id: a\r\n    objective: do it\r\n');
    expect(await said(place, ['flow', 'explain', 'f.yaml'])).toMatch(/^x: 1 step, nothing has run yet\n/);
  });
});

describe('ctxb flow explain of a bad flow', () => {
  it.each([
    { title: 'no file', file: 'none.yaml', text: '', says: ['none.yaml: expected a readable file'] },
    {
      title: 'several faults',
      file: 'flow.yaml',
      text: 'name: a\nsteps:\n  - {id: x, objetive: y}\n  - {id: x, needs: [x], timeoutSeconds: -1}\n',
      says: [
        'the flow has 6 errors',
        'did you mean objective?',
        'steps[1].timeoutSeconds: ',
        'steps[1].needs: expected one of id, ',
        'flow.yaml:3',
      ],
    },
    { title: 'no YAML', file: 'flow.yaml', text: '{', says: ['expected valid YAML'] },
  ])('$title: all findings on stderr, exit 2', async ({ file, text, says }) => {
    await using place = await createPlace();
    await place.file('flow.yaml', text);
    const run = await ctxb(place, ['flow', 'explain', file]);
    expect(run).toMatchObject({ code: 2 });
    expect(run.stdout.toString()).toBe('');
    for (const part of says) expect(run.stderr).toContain(part);
    expect(run.stderr).not.toContain('    at ');
  });
});

describe('the budgets of a step', () => {
  async function explained(place: Place, step: string, flags: readonly string[] = [], env = {}) {
    const run = await ctxb(place, ['flow', 'explain', 'flow.yaml', '--json', ...flags], { env });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(run.stdout.toString()).steps.find((one: { step: string }) => one.step === step);
  }

  it('are those of all flows, with warnings', async () => {
    await using place = await createFlowPlace();
    keepTwoRuns(place);
    await place.file('.contextbudgetrc.yaml', 'flow:\n  contextBudgetChars: 9\n');
    await place.file('flow.yaml', FLOW.replace('profile: daily', ''));
    expect(await explained(place, 'clarify')).toMatchObject({
      receipt: { context_truncation: { budget_chars: 10_000 } },
      budgets: { contextBudgetChars: { value: 10_000, source: 'global' } },
      budget_warnings: expect.arrayContaining([expect.objectContaining({ set: 9, used: 10_000, source: 'global' })]),
    });
  });

  it('are shares of the configured window', async () => {
    await using place = await createFlowPlace();
    await place.file('flow.yaml', FLOW.replace('profile: daily', 'profile: small-window'));
    await place.file('.contextbudgetrc.json', '{"window":500000}');
    const { budgets } = await explained(place, 'normalize');
    expect(budgets.contextBudgetChars).toEqual({ value: 250_000, source: 'preset lean (profile)' });
  });

  it.each([
    { title: 'a configuration file', file: '.contextbudgetrc.json', wrap: (flow: object) => ({ flow }) },
    { title: 'package.json', file: 'package.json', wrap: (flow: object) => ({ contextbudget: { flow } }) },
  ])('the settings of all flows in $title have the level global', async ({ file, wrap }) => {
    await using place = await createFlowPlace();
    keepTwoRuns(place);
    await place.file('flow.yaml', FLOW.replace('profile: daily', ''));
    const globals = { preset: 'lean', historyOlderChars: 700 };
    await place.file(file, JSON.stringify(wrap(globals)));
    expect(await explained(place, 'clarify')).toMatchObject({
      budgets: {
        historyRecentChars: { value: 30_000, source: 'preset lean (global)' },
        // The flow sets this itself.
        historyOlderChars: { value: 8_000, source: 'flow' },
      },
    });
  });

  it('come from a profile in its own file, and name the level of each value', async () => {
    await using place = await createFlowPlace();
    await place.file('.contextbudgetrc.json', '{"flow":{"preset":"lean"}}');
    mkdirSync(place.path('profiles'), { recursive: true });
    await place.file('flow.yaml', 'name: job\nsteps: [{id: a, prompt: x, budgets: {historyOlderChars: 700}}]\n');
    await place.file('profiles/heavy-context.yaml', 'budgets: {historyRecentChars: 9000}\n');
    const { budgets } = await explained(place, 'a', ['--profile', 'heavy-context']);
    expect(budgets).toEqual({
      contextBudgetChars: { value: 100_000, source: 'preset lean (global)' },
      historyRecentChars: { value: 9_000, source: 'profile' },
      historyOlderChars: { value: 700, source: 'step' },
    });
    const { code, stderr } = await ctxb(place, ['flow', 'explain', 'flow.yaml', '--profile', 'heavy']);
    expect([code, stderr.toString()]).toEqual([
      2,
      expect.stringContaining('profiles/NAME.yaml next to the flow, found "heavy"'),
    ]);
  });

  it('come from a variable before the file', async () => {
    await using place = await createFlowPlace();
    await place.file('flow.yaml', FLOW.replace('profile: daily', ''));
    await place.file('.contextbudgetrc.json', '{"flow":{"contextBudgetChars":50000}}');
    const env = { CTXB_FLOW_PRESET: 'heavy', CTXB_FLOW_HISTORY_RECENT_CHARS: '70000' };
    expect(await explained(place, 'clarify', [], env)).toMatchObject({
      budgets: {
        contextBudgetChars: { value: 400_000, source: 'preset heavy (global)' },
        historyRecentChars: { value: 70_000, source: 'global' },
      },
    });
  });
});

describe('ctxb flow report', () => {
  it('shows the newest run', async () => {
    await using place = await createFlowPlace();
    keepTwoRuns(place);
    expect(await said(place, ['flow', 'report'])).toMatch(
      /^another, run 20260103T000000000-cccc-another\nstep .*\nnormalize +0 /,
    );
  });

  it('shows a run by name', async () => {
    await using place = await createFlowPlace();
    keepTwoRuns(place);
    const text = await said(place, ['flow', 'report', '20260102']);
    expect(text).toContain('\n2 steps: 6 calls, $0.50, 8.0 s\n');
  });

  it('--json holds the same', async () => {
    await using place = await createFlowPlace();
    keepTwoRuns(place);
    const report = JSON.parse(await said(place, ['flow', 'report', '20260102', '--json']));
    expect(report).toMatchObject({
      version: 1,
      flow: 'shared-lists',
      steps: [
        { step: 'normalize', included: 0, measured: { first_tokens: 20_000, peak_tokens: 40_000, cost_usd: 0.25 } },
        { step: 'frame', included: 1, cut: 0, omitted: 0 },
      ],
      total: { steps: 2, calls: 6, cost_usd: 0.5 },
    });
  });

  it.each([
    { title: 'there is no run', runs: false, args: [], says: 'has no run of a flow: run one first' },
    { title: 'no run has this name', runs: true, args: ['r9'], says: 'r9: no run starts with this' },
  ])('$title', async ({ runs, args, says }) => {
    await using place = await createFlowPlace();
    if (runs) keepTwoRuns(place);
    const run = await ctxb(place, ['flow', 'report', ...args]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(says);
  });
});

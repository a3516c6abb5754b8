import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { viewFlow } from '../../../src/flow/report/explain.ts';
import { createStudio, type StudioView } from '../../../src/flow/studio/studio.ts';
import { studioPage } from '../../../src/flow/studio/studio-page.ts';
import { figures, keepRun } from '../../support/flow-run.ts';
import { RUN, STUDIO_FLOW, type StudioFolder, studioFolder } from '../../support/studio.ts';

let folder: StudioFolder;

beforeEach(() => {
  folder = studioFolder();
});
afterEach(() => folder.remove());

type Place = Parameters<typeof viewFlow>[1];

function studio({ profile, ...place }: Partial<Place> & { profile?: string } = {}) {
  const { path: cwd, contextDir } = folder;
  return createStudio(folder.file, profile, (flow) => viewFlow(flow, { cwd, contextDir, prices: {}, ...place }));
}

const show = (place?: Parameters<typeof studio>[0]) => studio(place)();

/** Sends the form of the page as it is now, with these fields. */
const submit = (fields: Readonly<Record<string, string>>, hash = show().hash): StudioView =>
  studio()(new Map(Object.entries({ hash, action: 'view', ...fields })));

const save = (fields: Readonly<Record<string, string>>, hash?: string) => submit({ ...fields, action: 'save' }, hash);

const text = () => readFileSync(folder.file, 'utf8');

const budgetsOf = ({ explained }: StudioView) => explained.steps.map(({ budgets }) => budgets);

describe('the page', () => {
  it('has a field for each budget of the flow and of its steps', () => {
    const names = [...studioPage(show()).matchAll(/ name="([^"]*\.[^"]*)"/g)].map(([, name]) => name);
    const keys = ['preset', 'contextBudgetChars', 'historyRecentChars', 'historyOlderChars'];
    expect(names).toEqual(['', 'first', 'second', 'third'].flatMap((id) => keys.map((key) => `${id}.${key}`)));
  });

  it('shows the effective values with their sources', () => {
    const ofLean = { contextBudgetChars: { value: 100_000, source: 'preset lean (flow)' } };
    const own = { contextBudgetChars: { value: 50_000, source: 'step' } };
    expect(budgetsOf(show())).toMatchObject([ofLean, own, ofLean]);
    const page = studioPage(show());
    expect(page).toContain('contextBudgetChars  50,000  step\n');
    expect(page).toContain('<label class="own">Whole briefing <input name="second.contextBudgetChars" value="50000"');
    expect(page).toContain('<input name="first.contextBudgetChars" value="" placeholder="100000"');
  });

  it('scales presets to the configured window', () => {
    expect(budgetsOf(show({ window: 128_000 }))[0]).toMatchObject({ contextBudgetChars: { value: 64_000 } });
  });

  it("scales presets to the window of a step's model", () => {
    writeFileSync(folder.file, STUDIO_FLOW.replace('agent: fixer', 'model: opus[1m]'));
    expect(budgetsOf(show())).toMatchObject([
      { contextBudgetChars: { value: 500_000, source: 'preset lean (flow)' } },
      { contextBudgetChars: { value: 50_000 } },
      {},
    ]);
  });

  it('shows the global settings that the file does not override', () => {
    const global = { historyOlderChars: 7_000, contextBudgetChars: 90_000 };
    expect(budgetsOf(show({ global }))[0]).toMatchObject({ contextBudgetChars: { value: 100_000 } });
    writeFileSync(folder.file, STUDIO_FLOW.replace('preset: lean', 'historyRecentChars: 20000'));
    expect(budgetsOf(show({ global }))[0]).toEqual({
      contextBudgetChars: { value: 90_000, source: 'global' },
      historyRecentChars: { value: 20_000, source: 'flow' },
      historyOlderChars: { value: 7_000, source: 'global' },
    });
  });

  it('shows what a step would get of the newest run, and the report of that run', () => {
    const { flow } = show();
    expect(studioPage(show())).not.toContain('Last run');
    keepRun(folder.path, RUN, flow, {
      first: { output: 'a'.repeat(9_000), measured: figures() },
      second: { output: '' },
    });
    const page = studioPage(show());
    expect(page).toContain('cut      first  MEDIUM  5,000 of 9,000  longer than historyOlderChars, 5,000');
    expect(page).toContain('no output yet: second\n');
    expect(page).toContain(`job, run ${RUN}\nstep `);
  });

  it('escapes names', () => {
    writeFileSync(folder.file, STUDIO_FLOW.replace('agent: fixer', 'agent: <b>'));
    expect(studioPage(show())).toContain('&lt;b&gt;');
    expect(studioPage(show())).not.toContain('<b>');
  });
});

describe('a preview', () => {
  it('shows the effect of the form with the warnings of the guardrails, and writes nothing', () => {
    const view = submit({ 'first.contextBudgetChars': '7,000,000' });
    expect(view).toMatchObject({ status: 200, isChanged: true });
    expect(view.explained.steps[0]).toMatchObject({
      budgets: { contextBudgetChars: { value: 600_000, source: 'step' } },
      budget_warnings: [{ field: 'contextBudgetChars', kind: 'suspicious', set: 7_000_000, used: 600_000 }],
    });
    expect(studioPage(view)).toContain('value="7,000,000"');
    expect(text()).toBe(STUDIO_FLOW);
  });

  it('offers to save only what would change the file', () => {
    expect(studioPage(submit({ '.preset': 'heavy' }))).toContain('>Save</button>');
    expect(studioPage(submit({ '.preset': 'lean', 'second.contextBudgetChars': ' 50000 ' }))).not.toContain('>Save<');
  });

  it('refuses invalid values, and keeps them in the form', () => {
    const view = submit({ 'first.preset': 'heavy', 'second.historyOlderChars': 'many' });
    expect(view).toMatchObject({
      status: 422,
      message: expect.stringContaining('Nothing was written: steps[1].budgets.historyOlderChars: expected'),
      isChanged: false,
    });
    expect(budgetsOf(view)[0]).toMatchObject({ contextBudgetChars: { source: 'preset lean (flow)' } });
    expect(studioPage(view)).toContain('value="many"');
  });
});

it('reports a file that is no longer a flow', () => {
  writeFileSync(folder.file, 'name: job\n');
  expect(show).toThrow('steps: expected a list of 1 to 1000 steps');
});

describe('saving', () => {
  it('writes the form, keeps comments, order and permissions, and leaves no other files', () => {
    chmodSync(folder.file, 0o640);
    expect(save({ '.preset': 'heavy', 'second.contextBudgetChars': '' })).toMatchObject({ status: 303 });
    expect(text()).toBe(
      STUDIO_FLOW.replace('lean', 'heavy').replace('    budgets:\n      contextBudgetChars: 50000\n', ''),
    );
    expect(statSync(folder.file).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder.path)).toEqual(['job.yaml']);
  });

  it('keeps a byte order mark', () => {
    writeFileSync(folder.file, `\uFEFF${STUDIO_FLOW}`);
    save({ 'second.contextBudgetChars': '60000' });
    expect(text()).toBe(`\uFEFF${STUDIO_FLOW.replace('50000', '60000')}`);
  });

  it('refuses if the file has changed, and without a hash', () => {
    const { hash } = show();
    const mine = `${STUDIO_FLOW}# mine\n`;
    writeFileSync(folder.file, mine);
    for (const of of [hash, '']) {
      const view = save({ '.preset': 'heavy' }, of);
      expect(view).toMatchObject({ status: 409, message: expect.stringContaining('nothing was written') });
      expect(studioPage(view)).toContain('<option selected>heavy</option>');
    }
    expect(text()).toBe(mine);
  });

  it('refuses invalid values', () => {
    expect(save({ '.preset': 'huge' })).toMatchObject({ status: 422 });
    expect(text()).toBe(STUDIO_FLOW);
  });

  it('refuses a file that has become a link, and keeps its target', () => {
    const { hash } = show();
    const elsewhere = join(folder.path, 'elsewhere.yaml');
    renameSync(folder.file, elsewhere);
    symlinkSync(elsewhere, folder.file);
    expect(() => save({ '.preset': 'heavy' }, hash)).toThrow('is a symbolic link: name the file');
    expect(readFileSync(elsewhere, 'utf8')).toBe(STUDIO_FLOW);
  });

  it('reports a file that cannot be written', { skip: process.getuid?.() === 0 }, () => {
    chmodSync(folder.file, 0o400);
    expect(save({ '.preset': 'heavy' })).toMatchObject({ status: 422 });
  });
});

it('names the profile, and the requested one overrides that of the flow', () => {
  mkdirSync(join(folder.path, 'profiles'));
  writeFileSync(join(folder.path, 'profiles', 'large.yaml'), 'budgets: {historyOlderChars: 15000}\n');
  writeFileSync(join(folder.path, 'profiles', 'other.yaml'), 'budgets: {historyOlderChars: 9000}\n');
  writeFileSync(folder.file, STUDIO_FLOW.replace('name: job', 'name: job\nprofile: large'));
  expect(show().flow.profile).toBe('large');
  expect(studioPage(show({ profile: 'other' }))).toContain('job.yaml: 3 steps, profile other,');
});

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
import { createFileStudio, type Edit, type Studio, type StudioView } from '../../../src/flow/studio/file-studio.ts';
import { aReceipt, STUDIO_FLOW, type StudioFolder, studioFolder } from '../../support/studio.ts';

let folder: StudioFolder;
let studio: Studio;

beforeEach(() => {
  folder = studioFolder();
  studio = createFileStudio(folder.file, { contextDir: folder.contextDir, window: undefined, global: {} });
});
afterEach(() => folder.remove());

const view = (edits: readonly Edit[] = []): StudioView => studio.view(edits);

const edit = (step: string | null, key: Edit['key'], value: string): Edit => ({ step, key, value });
const text = () => readFileSync(folder.file, 'utf8');

describe('view', () => {
  it('shows the steps in their order', () => {
    expect(view().flow?.steps.map(({ id, agent }) => [id, agent])).toEqual([
      ['first', 'fixer'],
      ['second', undefined],
      ['third', undefined],
    ]);
  });

  it('shows the effective values with their sources', () => {
    expect(view().flow).toMatchObject({
      budgets: {
        own: { preset: 'lean' },
        effective: { contextBudgetChars: { value: 100_000, source: 'preset lean (flow)' } },
      },
      steps: [
        { budgets: { own: {}, effective: { contextBudgetChars: { value: 100_000, source: 'preset lean (flow)' } } } },
        {
          budgets: {
            own: { contextBudgetChars: 50_000 },
            effective: { contextBudgetChars: { value: 50_000, source: 'step' } },
          },
        },
        {},
      ],
    });
  });

  it('scales presets to the configured window', () => {
    const small = createFileStudio(folder.file, { contextDir: folder.contextDir, window: 128_000, global: {} });
    expect(small.view([])).toMatchObject({
      flow: { window: 128_000, budgets: { effective: { contextBudgetChars: { value: 64_000 } } } },
    });
  });

  it("scales presets to the window of a step's model", () => {
    const large = studioFolder(STUDIO_FLOW.replace('agent: fixer', 'model: opus[1m]'));
    const place = { contextDir: large.contextDir, window: undefined, global: {} };
    expect(createFileStudio(large.file, place).view([])).toMatchObject({
      flow: {
        window: 200_000,
        steps: [
          {
            budgets: {
              effective: { contextBudgetChars: { value: 500_000, source: 'preset lean (flow)' } },
            },
          },
          { budgets: { effective: { contextBudgetChars: { value: 50_000 } } } },
          {},
        ],
      },
    });
    large.remove();
  });

  it('shows the global settings that the file does not override', () => {
    const global = { historyOlderChars: 7_000, contextBudgetChars: 90_000 };
    const below = createFileStudio(folder.file, { contextDir: folder.contextDir, window: undefined, global });
    const ofLean = { contextBudgetChars: { value: 100_000, source: 'preset lean (flow)' } };
    expect(below.view([])).toMatchObject({
      flow: {
        budgets: {
          effective: ofLean,
        },
        steps: [{ budgets: { effective: ofLean } }, {}, {}],
      },
    });
    const cleared = below.view([edit(null, 'preset', '')]);
    const effective = {
      contextBudgetChars: { value: 90_000, source: 'global' },
      historyOlderChars: { value: 7_000, source: 'global' },
    };
    expect(cleared).toMatchObject({ flow: { budgets: { effective }, steps: [{ budgets: { effective } }, {}, {}] } });
  });

  it('previews edits with the warnings of the guardrails, and writes nothing', () => {
    const { flow, isChanged } = view([edit('first', 'contextBudgetChars', '7,000,000')]);
    expect(flow?.steps[0]?.budgets).toMatchObject({
      own: { contextBudgetChars: 7_000_000 },
      effective: { contextBudgetChars: { value: 600_000, source: 'step' } },
      warnings: [{ field: 'contextBudgetChars', kind: 'suspicious', set: 7_000_000, used: 600_000 }],
    });
    expect(isChanged).toBe(true);
    expect(text()).toBe(STUDIO_FLOW);
  });

  it('reports invalid edits and shows the rest', () => {
    const { flow, findings } = view([edit('first', 'preset', 'heavy'), edit('second', 'historyOlderChars', 'many')]);
    expect(findings).toMatchObject([{ key: 'steps[1].budgets.historyOlderChars' }]);
    expect(flow?.steps[0]?.budgets.own).toEqual({ preset: 'heavy' });
    expect(flow?.steps[1]?.budgets.own).toEqual({ contextBudgetChars: 50_000 });
  });

  it('reports the fault of a file that is no longer a flow', () => {
    writeFileSync(folder.file, 'name: job\n');
    expect(view()).toMatchObject({ flow: undefined, findings: [{ key: 'steps' }] });
  });

  it('shows receipts, and reports unreadable ones', () => {
    folder.receipt('second', aReceipt({ truncated: true }));
    folder.receipt('third', '{');
    mkdirSync(join(folder.contextDir, 'receipts', 'job', 'first.json'));
    expect(view().flow?.steps.map(({ receipt }) => receipt)).toMatchObject([
      { fault: expect.stringContaining('is a folder') },
      { context_truncation: { chars_used: 49_000, budget_chars: 50_000, truncated: true } },
      { fault: 'its receipt is not one that can be read' },
    ]);
  });
});

describe('save', () => {
  it('writes the edits, keeps comments, order and permissions, and leaves no other files', () => {
    chmodSync(folder.file, 0o640);
    const { hash } = view();
    const saved = studio.save([edit(null, 'preset', 'heavy'), edit('second', 'contextBudgetChars', '')], hash);
    expect(text()).toBe(
      STUDIO_FLOW.replace('lean', 'heavy').replace('    budgets:\n      contextBudgetChars: 50000\n', ''),
    );
    expect(statSync(folder.file).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder.path)).toEqual(['job.yaml']);
    expect(saved).toBe('saved');
    expect(view()).toMatchObject({ isChanged: false, findings: [], flow: { budgets: { own: { preset: 'heavy' } } } });
  });

  it('keeps a byte order mark', () => {
    writeFileSync(folder.file, `\uFEFF${STUDIO_FLOW}`);
    studio.save([edit('second', 'contextBudgetChars', '60000')], view().hash);
    expect(text()).toBe(`\uFEFF${STUDIO_FLOW.replace('50000', '60000')}`);
  });

  it('refuses if the file has changed, and without a hash', () => {
    const { hash } = view();
    writeFileSync(folder.file, `${STUDIO_FLOW}# mine\n`);
    expect(studio.save([edit(null, 'preset', 'heavy')], hash)).toBe('changed');
    expect(studio.save([edit(null, 'preset', 'heavy')], '')).toBe('changed');
    expect(text()).toBe(`${STUDIO_FLOW}# mine\n`);
  });

  it('refuses invalid edits', () => {
    const { hash } = view();
    expect(() => studio.save([edit(null, 'preset', 'huge')], hash)).toThrow('nothing was written: budgets.preset');
    expect(text()).toBe(STUDIO_FLOW);
  });

  it('refuses a file that has become a link, and keeps its target', () => {
    const { hash } = view();
    const elsewhere = join(folder.path, 'elsewhere.yaml');
    renameSync(folder.file, elsewhere);
    symlinkSync(elsewhere, folder.file);
    expect(() => studio.save([edit(null, 'preset', 'heavy')], hash)).toThrow('is a symbolic link: name the file');
    expect(readFileSync(elsewhere, 'utf8')).toBe(STUDIO_FLOW);
  });
});

it('names the profile, and the requested one overrides that of the flow', () => {
  mkdirSync(join(folder.path, 'profiles'));
  writeFileSync(join(folder.path, 'profiles', 'large.yaml'), 'budgets: {historyOlderChars: 15000}\n');
  writeFileSync(join(folder.path, 'profiles', 'other.yaml'), 'budgets: {historyOlderChars: 9000}\n');
  writeFileSync(folder.file, STUDIO_FLOW.replace('name: job', 'name: job\nprofile: large'));
  const place = { contextDir: folder.contextDir, window: undefined, global: {} };
  const shown = (profile?: string) => createFileStudio(folder.file, { ...place, profile }).view([]).flow;
  expect(shown()).toMatchObject({
    profile: 'large',
    budgets: { effective: { contextBudgetChars: { value: 100_000 } } },
  });
  expect(shown('other')).toMatchObject({ profile: 'other' });
});

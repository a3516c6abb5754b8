import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { effectiveBudgets, effectiveCurator } from '../../../src/flow/briefing.ts';
import { readFlow } from '../../../src/flow/file/read-flow.ts';
import { readOf } from '../../support/flow.ts';
import { flowOf, flowStep } from '../../support/packs.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ctxb-profile-'));
  mkdirSync(join(folder, 'profiles'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

const PROFILE = 'a name in profiles, or the NAME of a file profiles/NAME.yaml next to the flow';
const FLOW = 'name: a\nprofiles: {daily: {budgets: {preset: lean}}}\nsteps: [{id: x, prompt: y}]\n';
const HEAVY = 'budgets:\n  preset: heavy\ncurator: {enabled: true, model: sonnet}\n';

function read(text = FLOW, profile?: string) {
  write('f.yaml', text);
  return readOf(() => readFlow(join(folder, 'f.yaml'), { profile }));
}

describe('a profile file', () => {
  it.each([
    { name: 'beside the flow', flow: `profile: heavy\n${FLOW}`, file: 'profiles/heavy.yaml' },
    { name: 'that ends otherwise', flow: `profile: heavy\n${FLOW}`, file: 'profiles/heavy.yml' },
    { name: 'asked for in place of the one of the flow', flow: `profile: daily\n${FLOW}`, file: 'profiles/heavy.yaml' },
  ])('$name', ({ flow: text, file }) => {
    write(file, HEAVY);
    const { flow, findings } = read(text, text.startsWith('profile: daily') ? 'heavy' : undefined);
    expect(findings).toEqual([]);
    expect(flow?.profile).toBe('heavy');
    expect(flow?.profiles.heavy).toEqual({
      budgets: { preset: 'heavy' },
      curator: { enabled: true, model: 'sonnet' },
    });
  });

  it('a profile in the flow wins', () => {
    write('profiles/daily.yaml', HEAVY);
    expect(read(FLOW, 'daily').flow?.profiles.daily?.budgets).not.toEqual({ preset: 'heavy' });
  });

  it('can be JSON', () => {
    write('profiles/heavy.json', '{"budgets": {"preset": "heavy"}}');
    expect(read(FLOW, 'heavy').flow?.profiles.heavy).toMatchObject({ budgets: { preset: 'heavy' }, curator: {} });
  });

  it('reports all mistakes with their lines', () => {
    write('profiles/heavy.yaml', 'budgets: {preset: huge}\nsteps: []\ncurator: {enabled: 1}\n');
    const file = join(folder, 'profiles/heavy.yaml');
    expect(read(FLOW, 'heavy').findings).toEqual([
      `budgets.preset: expected one of "lean", "balanced", "heavy", found "huge" (${file}:1); correct it`,
      `steps: expected one of budgets, curator, found "steps" (${file}:2); remove it`,
      `curator.enabled: expected true or false, found 1 (${file}:3); correct it`,
    ]);
  });

  it('is searched in the folder of the flow', () => {
    const outside = mkdtempSync(join(tmpdir(), 'ctxb-profile-'));
    const file = join(outside, 'secret.yaml');
    writeFileSync(file, 'a password: 1\n');
    symlinkSync(file, join(folder, 'profiles', 'linked.yaml'));
    for (const name of [file, `../../${basename(outside)}/secret`, 'linked']) {
      const message = expect.stringContaining(`profile: expected ${PROFILE}, found "${name}`);
      expect(read(`profile: ${name}\n${FLOW}`).findings).toEqual([message]);
      expect(read(FLOW, name).findings).toEqual([
        expect.stringContaining(`--profile: expected ${PROFILE}, found "${name}`),
      ]);
    }
    rmSync(outside, { recursive: true });
  });

  it('can be missing', () => {
    expect(read(FLOW, 'dayly').findings).toEqual([
      `--profile: expected ${PROFILE}, found "dayly"; did you mean "daily"?`,
    ]);
    expect(read(FLOW, 'other').findings).toEqual([
      `--profile: expected ${PROFILE}, found "other"; add it there, or name another`,
    ]);
  });
});

describe('curator levels', () => {
  const levels = { global: true, profile: { enabled: false }, flow: { enabled: true }, step: { enabled: false } };
  const DEFAULT = { enabled: false, model: 'haiku', timeoutSeconds: 60, maxFiles: 20 };

  it.each([
    { title: 'nobody', given: {}, enabled: false, source: 'default' },
    { title: 'the configuration', given: { global: true }, enabled: true, source: 'global' },
    { title: 'a profile', given: { global: true, profile: levels.profile }, enabled: false, source: 'profile' },
    { title: 'a flow', given: { profile: levels.profile, flow: levels.flow }, enabled: true, source: 'flow' },
    { title: 'a step', given: levels, enabled: false, source: 'step' },
    { title: 'a model alone', given: { flow: levels.flow, step: { model: 'opus' } }, enabled: true, source: 'flow' },
  ])('take the curator from $title', ({ given, enabled, source }) => {
    const { global, profile = {}, flow = {}, step = {} } = given as Partial<typeof levels>;
    const steps = [flowStep({ curator: step })];
    const made = flowOf(steps, { profile: 'p', profiles: { p: { budgets: {}, curator: profile } }, curator: flow });
    const world = { global: global === undefined ? {} : { curator: global } };
    expect(effectiveCurator(made, steps[0] ?? flowStep(), world)).toEqual({
      curator: { ...DEFAULT, ...step, enabled },
      source,
    });
  });

  it('has the same effect as a profile in the flow', () => {
    write('profiles/heavy.yaml', HEAVY);
    const { flow } = read(`${FLOW}budgets: {historyOlderChars: 900}\n`, 'heavy');
    const values = flow && effectiveBudgets(flow, flowStep(), { global: { preset: 'lean' } }).values;
    expect(values?.contextBudgetChars).toEqual({ value: 400_000, source: 'preset heavy (profile)' });
    expect(values?.historyOlderChars).toEqual({ value: 900, source: 'flow' });
  });
});

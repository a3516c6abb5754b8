import { describe, expect, it } from 'vitest';
import { GRID } from '../../src/replay/what-if/grid.ts';
import { fixture } from '../support/recordings.ts';
import { createPlace, ctxb, type Place, runFake, STREAM } from './fakes.ts';

const SESSION = fixture('native-mid-turn.ndjson');

async function whatIf(place: Place, policies: readonly string[], more: readonly string[] = [SESSION]) {
  return ctxb(place, ['replay', ...policies.flatMap((policy) => ['--what-if', policy]), ...more]);
}

interface Report {
  readonly sessions: readonly Record<string, unknown>[];
  readonly whatIf: { readonly policies: readonly { readonly name: string }[] };
}

describe('--what-if', () => {
  it('takes JSON, files and the grid, in order, and prints a table of them', async () => {
    await using place = await createPlace();
    await place.file('early.json', '{"thresholds": {"compact": 0.4}}');
    await place.file('named.yaml', 'name: by hand over\nstrategy: handoff\nlanding: 20000\n');
    const run = await whatIf(place, ['{"none": true}', 'early.json', 'named.yaml', 'grid']);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const names = run.stdout
      .toString()
      .split('\n')
      .slice(2)
      .map((line) => line.trim().split(/ {2,}/)[0] ?? '');
    const expected = ['what happened', '{"none": true}', 'early.json', 'by hand over', ...GRID.map(({ name }) => name)];
    expect(names.slice(0, expected.length)).toEqual(expected);
  });

  it('as JSON: in each session and over all, with curves only beside the series', async () => {
    await using place = await createPlace();
    const report = async (...more: string[]) => {
      const run = await whatIf(place, ['grid'], ['--json', ...more, SESSION, fixture('tool-turn.ndjson')]);
      return JSON.parse(run.stdout.toString()) as Report;
    };
    const plain = await report();
    expect(plain).toMatchObject({
      version: 1,
      sessions: [
        { whatIf: { actual: { name: 'what happened', trigger: null }, basis: { landing: { from: 'session' } } } },
        { whatIf: { basis: { landing: { from: 'published', tokens: 50_821 } } } },
      ],
      whatIf: {
        sessions: 2,
        best: { cost: expect.any(String), peak: expect.any(String) },
        assumptions: expect.arrayContaining([expect.stringMatching(/^Exact: /)]),
      },
    });
    expect(plain.whatIf.policies.map(({ name }) => name)).toEqual(GRID.map(({ name }) => name));
    expect(Object.keys(plain.sessions[0] ?? {})).not.toContain('series');
    expect(JSON.stringify(plain)).not.toContain('"curve":[30000,');
    const [{ series, whatIf: tried } = {}] = (await report('--series')).sessions;
    const { actual } = tried as { actual: { curve: number[] } };
    expect(actual.curve).toEqual((series as { context: number }[]).map(({ context }) => context));
  });

  it("counts with this place's prices, but acts by no policy of it", async () => {
    await using place = await createPlace();
    await place.file(
      '.contextbudgetrc',
      JSON.stringify({ thresholds: { compact: 0.1 }, cost: { prices: { claude: { input: 0, output: 0 } } } }),
    );
    const run = await whatIf(place, ['{"name": "usual"}']);
    expect(run.stdout.toString()).toMatch(/usual .* \$0\.00 /);
    expect(run.stdout.toString()).not.toContain('ctxb');
  });

  it('tries policies on the record of a run', async () => {
    await using place = await createPlace();
    const prompts = ['one', 'two', 'three'].flatMap((prompt) => ['--prompt', prompt]);
    const env = { PLAY_CONTEXTS: '30000,160000,31000' };
    await runFake(place, { fake: 'answers', flags: ['--record', place.path('rec'), ...prompts], claude: STREAM, env });
    const run = await whatIf(place, ['{"name": "the same"}', '{"name": "nobody", "none": true}'], ['rec']);
    expect(run.stdout.toString()).toMatch(/what happened +1 +1 +0 .* 1 ctxb/);
    expect(run.stdout.toString()).toMatch(/the same +1 +1 +0 .* 1 ctxb/);
    expect(run.stdout.toString()).toMatch(/nobody +2 +2 +0 /);
  });

  it.each([
    { title: 'a key', policy: '{"thresholds": {"compat": 0.5}}', said: 'did you mean thresholds.compact?' },
    { title: 'a value', policy: '{"landing": -1}', said: 'landing: expected a whole number of tokens' },
    { title: 'JSON', policy: '{"landing"', said: '--what-if:1:11: expected valid JSON' },
    {
      title: 'a file that is not there',
      policy: 'missing.json',
      said: 'missing.json: expected a file that can be read',
    },
    {
      title: 'levels out of order',
      policy: '{"thresholds": {"compact": 0.9}}',
      said: 'thresholds.compact: expected less',
    },
  ])('$title that is wrong: exit 2', async ({ policy, said }) => {
    await using place = await createPlace();
    const run = await whatIf(place, [policy, '{"landing": 1}']);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('--what-if has 2 fault(s):');
    expect(run.stderr).toContain(said);
    expect(run.stdout.toString()).toBe('');
  });

  it('names what cannot be read: exit 2', async () => {
    await using place = await createPlace();
    const run = await whatIf(place, ['grid'], ['missing', SESSION]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('missing: cannot be read');
    expect(run.stdout.toString()).toContain('what happened');
  });
});

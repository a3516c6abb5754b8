import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { GRID } from '../../src/replay/what-if/read-policy.ts';
import { fixture } from '../support/recordings.ts';
import { sampled } from '../support/size.ts';
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
  it('takes JSON, files and the grid, and prints a table of them', async () => {
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
    expect(names).toEqual(expect.arrayContaining(expected));
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
        {
          whatIf: {
            actual: { name: 'what happened', trigger: null },
            facts: { basis: { landing: { from: 'session' } } },
          },
        },
        { whatIf: { facts: { basis: { landing: { from: 'published', tokens: 50_821 } } } } },
      ],
      whatIf: {
        sessions: 2,
        best: { cost: expect.any(String), peak: expect.any(String) },
        assumptions: expect.arrayContaining([expect.stringMatching(/^Exact: /)]),
      },
    });
    expect(plain.whatIf.policies.map(({ name }) => name)).toEqual(GRID.map(({ name }) => name));
    expect(Object.keys(plain.sessions[0] ?? {})).not.toContain('series');
    expect(JSON.stringify(plain.whatIf)).not.toContain('"curve"');
    expect(JSON.stringify(plain.sessions[0]?.whatIf)).not.toContain('"curve"');
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
    // No relief of ctxb's, whatever the path of the recording.
    expect(run.stdout.toString()).not.toMatch(/ \d+ ctxb/);
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

  it.each(
    sampled(
      [
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
      ],
      3,
    ),
  )('$title that is wrong: exit 2', async ({ policy, said }) => {
    await using place = await createPlace();
    const run = await whatIf(place, [policy, '{"landing": 1}']);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('--what-if has 2 faults:');
    expect(run.stderr).toContain(said);
    expect(run.stdout.toString()).toBe('');
  });

  it('is drawn in the page, the best first, and no more than can be told apart', async () => {
    await using place = await createPlace();
    const run = await whatIf(place, ['grid'], ['--html', 'page.html', SESSION]);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const page = await readFile(place.path('page.html'), 'utf8');
    expect(page.match(/"policy":"[^"]*","context":/g)).toHaveLength(6);
  });

  it('looks only at sessions that are meant', async () => {
    await using place = await createPlace();
    const run = await whatIf(place, ['grid'], ['--model', 'opus', SESSION]);
    expect(run.stderr).toContain('none of 1 session is what --since, --project and --model ask for');
    expect(run.stdout.toString()).not.toContain('what happened');
  });

  it.each(sampled(['--csv', '--ndjson', '--detail', '--markdown'], 2))('is not shown by %s: exit 2', async (format) => {
    await using place = await createPlace();
    const run = await whatIf(place, ['grid'], [format, SESSION]);
    expect(run).toMatchObject({ code: 2, stdout: Buffer.alloc(0) });
    expect(run.stderr).toContain(`${format} and --what-if exclude each other`);
  });
});

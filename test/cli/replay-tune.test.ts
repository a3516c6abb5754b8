import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { firstOf, inSoak } from '../support/size.ts';
import { createPlace, ctxb, type Place } from './fakes.ts';

/** A session log of turns with one call each, of these contexts. */
function log(id: string, contexts: readonly number[], version: string): string {
  const lines = contexts.flatMap((context, at) => {
    const before = contexts[at - 1] ?? 0;
    const usage = {
      input_tokens: 4,
      cache_creation_input_tokens: context - before - 4,
      cache_read_input_tokens: before,
      output_tokens: 20,
    };
    const known = { sessionId: id, version, cwd: '/work', timestamp: new Date(at * 1000).toISOString() };
    const user = { role: 'user', content: `${id} ${at}` };
    const content = [{ type: 'text', text: 'Done.' }];
    const message = { id: `msg_${id}_${at}`, model: 'claude-opus-4-5', role: 'assistant', content, usage };
    return [
      { ...known, type: 'user', uuid: `${id}-u${at}`, message: user },
      { ...known, type: 'assistant', uuid: `${id}-a${at}`, requestId: `req_${id}_${at}`, message },
    ];
  });
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** They climb to 110,000 tokens and stay there for long. */
const LONG = [
  ...Array.from({ length: 10 }, (_, at) => 20_000 + at * 10_000),
  ...Array.from({ length: 30 }, (_, at) => 110_000 + at * 10),
];

/** The logs of a project, where claude keeps them. */
function logs(place: Place, count: number, { contexts = LONG, version = '2.1.197' } = {}): string {
  const folder = join(place.cwd, '.claude/projects', place.cwd.replaceAll(/[^a-zA-Z0-9]/g, '-'));
  mkdirSync(folder, { recursive: true });
  for (let at = 0; at < count; at++) writeFileSync(join(folder, `s${at}.jsonl`), log(`s${at}`, contexts, version));
  return folder;
}

const read = (place: Place, name: string) => readFileSync(place.path(name), 'utf8');

describe('--tune', () => {
  it("proposes levels from the project's own sessions, judged on those that did not choose", async () => {
    await using place = await createPlace();
    const folder = logs(place, 24);
    const text = await ctxb(place, ['replay', '--tune']);
    expect(text).toMatchObject({ code: 0, stderr: '' });
    expect(text.stdout.toString()).toMatch(/^Tuned on 24 sessions, 22 sets of levels tried\n/);
    expect(text.stdout.toString()).toMatch(/12 sessions that chose +12 sessions held out\n/);
    expect(text.stdout.toString()).toMatch(
      /Proposed: thresholds\.compact 0\.5: would have saved 26\.\d% \(95% bootstrap interval .*on sessions that were not used/,
    );
    const json = await ctxb(place, ['replay', '--tune', '--json', folder]);
    expect(JSON.parse(json.stdout.toString())).toMatchObject({
      version: 1,
      tuning: { sessions: 24, verdict: 'proposed', proposal: { 'thresholds.compact': 0.5 }, judged: { sessions: 12 } },
    });
    expect(existsSync(place.path('.contextbudgetrc.json'))).toBe(false);
  });

  it('a claude that can compact exactly is tried with moments too', async () => {
    await using place = await createPlace();
    logs(place, 20, { version: '2.1.330' });
    const { stdout } = await ctxb(place, ['replay', '--tune', '--json']);
    expect(JSON.parse(stdout.toString()).tuning.tried).toBeGreaterThan(22);
  });

  it('says so where claude has logged nothing yet', async () => {
    await using place = await createPlace();
    const run = await ctxb(place, ['replay', '--tune']);
    expect(run).toMatchObject({ code: 2 });
    expect(run.stderr).toMatch(
      /^ctxb: claude has logged nothing of this project yet \(there is no .+\): run claude first, or name recordings\n$/,
    );
  });

  it('has nothing to propose from 19 sessions, and writes nothing then', async () => {
    await using place = await createPlace();
    logs(place, 19);
    const run = await ctxb(place, ['replay', '--tune', '--write', '--yes']);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout.toString()).toContain('Nothing to propose: 19 sessions can be judged, 20 are needed');
    expect(existsSync(place.path('.contextbudgetrc.json'))).toBe(false);
  });

  it('takes the sessions that are meant', async () => {
    await using place = await createPlace();
    logs(place, 24);
    const { stdout } = await ctxb(place, ['replay', '--tune', '--json', '--model', 'no such model']);
    expect(JSON.parse(stdout.toString())).toMatchObject({ tuning: { sessions: 0, leftOut: 0, verdict: 'few' } });
  });

  it('says what excludes it', async () => {
    await using place = await createPlace();
    const both = await ctxb(place, ['replay', '--tune', '--what-if', 'grid']);
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining("option '--tune' cannot be used with") });
  });
});

const WRITE = ['replay', '--tune', '--write', '--yes'];

describe('--tune --write', () => {
  it('shows the difference, and asks first', async () => {
    await using place = await createPlace();
    logs(place, 20);
    const run = await ctxb(place, ['replay', '--write']);
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('say --yes, as there is nobody to ask') });
    expect(run.stdout.toString()).toContain('+    "compact": 0.5\n');
    expect(existsSync(place.path('.contextbudgetrc.json'))).toBe(false);
    expect((await ctxb(place, WRITE)).code).toBe(0);
    expect(JSON.parse(read(place, '.contextbudgetrc.json'))).toEqual({ thresholds: { compact: 0.5 } });
    // What is in force now costs least.
    expect((await ctxb(place, WRITE)).stdout.toString()).toContain('Nothing to propose: what is in force costs least');
  });

  it.each(
    firstOf([
      {
        name: 'a YAML with comments',
        file: '.contextbudgetrc',
        before: '# ours\nthresholds:\n  warn: 0.3 # early\n  compact: 70% # as agreed\nquiet: true\n',
        after: '# ours\nthresholds:\n  warn: 0.3 # early\n  compact: 0.5 # as agreed\nquiet: true\n',
      },
      {
        name: 'a YAML without thresholds',
        file: '.contextbudgetrc.yaml',
        before: '# ours\nzones: # of the day\n  tellAgent: true\n',
        after: '# ours\nzones: # of the day\n  tellAgent: true\nthresholds: { compact: 0.5 }\n',
      },
      {
        name: 'JSON in a form of its own',
        file: '.contextbudgetrc.json',
        before: '{\r\n\t"$schema": "./x.json",\r\n\t"thresholds": { "warn": 0.3 }\r\n}',
        after: '{\r\n\t"$schema": "./x.json",\r\n\t"thresholds": { "warn": 0.3, "compact": 0.5 }\r\n}',
      },
      {
        name: 'package.json',
        file: 'package.json',
        before: '{\n  "name": "mine",\n  "contextbudget": {\n    "quiet": true\n  }\n}\n',
        after:
          '{\n  "name": "mine",\n  "contextbudget": {\n    "quiet": true,\n    "thresholds": { "compact": 0.5 }\n  }\n}\n',
      },
    ]),
  )('changes the level in $name, and nothing else', async ({ file, before, after }) => {
    await using place = await createPlace();
    logs(place, 20);
    writeFileSync(place.path(file), before, { mode: 0o640 });
    const { stdout, stderr, code } = await ctxb(place, WRITE);
    expect(stderr).toBe('');
    expect(stdout.toString()).toContain(`${file}: written; how it was before is in `);
    expect(code).toBe(0);
    expect(read(place, file)).toBe(after);
    expect(read(place, `${file}.ctxb-backup`)).toBe(before);
    expect(statSync(place.path(file)).mode & 0o777).toBe(0o640);
  });

  inSoak('changes nothing where an anchor would change something else too', async () => {
    await using place = await createPlace();
    logs(place, 20);
    const before = 'thresholds:\n  compact: &level 0.7\ntools: { Read: *level }\n';
    await place.file('.contextbudgetrc', before);
    const run = await ctxb(place, WRITE);
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('set it there to 0.5') });
    expect(read(place, '.contextbudgetrc')).toBe(before);
  });

  inSoak('says which variable wins over the file', async () => {
    await using place = await createPlace();
    logs(place, 20);
    const { stderr } = await ctxb(place, WRITE, { env: { CTXB_THRESHOLDS_COMPACT: '0.7' } });
    expect(stderr).toBe('ctxb: CTXB_THRESHOLDS_COMPACT is set, and wins over the file\n');
  });
});

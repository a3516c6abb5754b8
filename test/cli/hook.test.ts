import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { HookEvent } from '../../src/hook/hook-events.ts';
import { hookInput } from '../support/hook-inputs.ts';
import { createPlace, ctxb, type Place } from './fakes.ts';

const LARGE_TEXT = 'words of this line\n'.repeat(2_000);
const ID = '0f3a0c6e-0000-4000-8000-000000000001';

const hook = (place: Place, fields: object, env: Readonly<Record<string, string>> = {}) =>
  ctxb(place, ['hook'], { stdin: JSON.stringify({ session_id: ID, cwd: place.cwd, ...fields }), env });

/** As claude gives it, but for where it is. */
function input(name: HookEvent, fields: Readonly<Record<string, unknown>>) {
  const { session_id, cwd, ...rest } = hookInput(name, fields, 'a-prompt');
  return rest;
}
const START = input('SessionStart', { source: 'startup' });
const LARGE = input('PostToolUse', {
  tool_name: 'Bash',
  tool_input: { command: 'cat it' },
  tool_use_id: 'toolu_1',
  tool_response: { stdout: LARGE_TEXT, stderr: '', interrupted: false, isImage: false },
});

describe('ctxb hook', () => {
  it('answers with the JSON of a hook', async () => {
    await using place = await createPlace();
    await place.file('.contextbudgetrc.json', '{"window":200000}');
    const { code, stdout, stderr } = await hook(place, LARGE);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout.toString())).toMatchObject({
      hookSpecificOutput: { updatedToolOutput: { stdout: expect.stringContaining('[ctxb cut this result') } },
    });
    expect(readFileSync(place.path('.context/tool-results/toolu_1.txt'), 'utf8')).toBe(LARGE_TEXT);
  });

  it('says instructions for a summary in words, as claude takes all of stdout for them', async () => {
    await using place = await createPlace();
    await hook(place, START);
    await hook(place, input('UserPromptSubmit', { prompt: 'Port the parser.' }));
    const { stdout } = await hook(place, input('PreCompact', { trigger: 'auto' }));
    expect(stdout.toString()).toBe(
      `When you summarise, focus on Port the parser. -- say that notes of the whole session are in .context/sessions/${ID}/scratch.md\n`,
    );
  });

  it.each([
    { name: 'inside of a run', env: { CTXB_RUN: 'a-run' }, config: '{}' },
    { name: 'where it is only to observe', env: {}, config: '{"observe":true}' },
  ])('does nothing $name', async ({ env, config }) => {
    await using place = await createPlace();
    await place.file('.contextbudgetrc.json', config);
    const { code, stdout } = await hook(place, LARGE, env);
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 0, stdout: '' });
    expect(existsSync(place.path('.context'))).toBe(false);
  });

  it.each([
    { name: 'nothing', stdin: '' },
    { name: 'no JSON', stdin: '{"hook_event' },
    { name: 'a hook that it does not know', stdin: JSON.stringify({ hook_event_name: 'Other', session_id: ID }) },
    { name: 'no session', stdin: JSON.stringify({ hook_event_name: 'Stop' }) },
  ])('lets claude go on at $name', async ({ stdin }) => {
    await using place = await createPlace();
    const run = await ctxb(place, ['hook'], { stdin });
    expect({ ...run, stdout: run.stdout.toString() }).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  it.each([
    { name: 'an id that is no name of a file', fields: { session_id: '../../elsewhere' } },
    { name: 'a log that is a folder', fields: { transcript_path: '/' } },
  ])('never blocks claude: $name', async ({ fields }) => {
    await using place = await createPlace();
    const { code, stdout } = await hook(place, { ...START, ...fields });
    expect(code).toBe(0);
    expect(stdout.toString()).not.toMatch(/"decision"|"continue"/);
    expect(existsSync(place.path('../elsewhere'))).toBe(false);
  });

  it.each([{ words: ['extra'] }, { words: ['--quiet'] }])(
    'never blocks claude: called with $words',
    async ({ words }) => {
      await using place = await createPlace();
      const stdin = JSON.stringify({ session_id: ID, cwd: place.cwd, ...START });
      expect(await ctxb(place, ['hook', ...words], { stdin })).toMatchObject({ code: 0, stderr: '' });
      expect(existsSync(place.path('.context/hooks'))).toBe(true);
    },
  );

  it('says what is in the way of its files', async () => {
    await using place = await createPlace();
    mkdirSync(place.path('elsewhere'));
    symlinkSync(place.path('elsewhere'), place.path('.context'));
    const { code, stdout } = await hook(place, START);
    expect(code).toBe(0);
    expect(JSON.parse(stdout.toString())).toEqual({
      systemMessage: expect.stringMatching(/^ctxb: this hook did nothing: .*is a symbolic link.*move it away$/),
    });
  });

  it('says nothing of it before a compaction, whose summary would be told', async () => {
    await using place = await createPlace();
    await place.file('.context', 'a file');
    const { code, stdout } = await hook(place, input('PreCompact', { trigger: 'auto' }));
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 0, stdout: '' });
  });

  it('writes nothing where a configuration from a repository would have it', async () => {
    await using place = await createPlace();
    await place.file('.contextbudgetrc.json', '{"contextDir":"../elsewhere"}');
    expect((await hook(place, START)).stdout.toString()).toContain('contextDir: expected a folder inside of');
    expect(existsSync(place.path('../elsewhere'))).toBe(false);
    expect(existsSync(place.path('.context/hooks'))).toBe(true);
  });

  it('says at the beginning what is wrong with the configuration, and goes on without it', async () => {
    await using place = await createPlace();
    await place.file('.contextbudgetrc.json', '{"tools":{"mod":"off"}}');
    expect((await hook(place, START)).stdout.toString()).toMatch(/did you mean .*the defaults hold instead/);
    expect((await hook(place, LARGE)).stdout.toString()).not.toContain('systemMessage');
  });
});

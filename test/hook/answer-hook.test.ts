import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { openContextDir } from '../../src/store/folders/context-dir.ts';
import { noteWindow } from '../../src/store/sessions/hook-sessions.ts';
import { noteModelWindow } from '../../src/store/sessions/model-windows.ts';
import { bashFields, callRow, hookedSession, promptRow, resultRow, toolRow, turn } from '../support/hooks.ts';

const VERSION = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
const SMALL_RESULTS = { tools: { ...DEFAULTS.tools, perCall: 500 } };
const LARGE = 'words of this line and words of it\n'.repeat(400);

describe('tool budgets', () => {
  it('a result that is too large is cut, and kept whole', async () => {
    using session = hookedSession(SMALL_RESULTS);
    await session.hook('SessionStart', { source: 'startup' });
    const { output } = await session.hook('PostToolUse', bashFields('toolu_1', 'cat it', LARGE));
    expect(output).toMatchObject({
      hookSpecificOutput: {
        hookEventName: 'PostToolUse',
        updatedToolOutput: { stdout: expect.stringMatching(/^\[ctxb cut this result .* cat it: 14000 characters/) },
      },
    });
    expect(session.file('tool-results/toolu_1.txt')).toBe(LARGE);
    expect(session.journal()).toEqual(['cut-result']);
  });

  it('results are cut where only the model and the version of claude tell how large the window is', async () => {
    using session = hookedSession({ ...SMALL_RESULTS, window: undefined });
    await session.hook('SessionStart', { source: 'startup' });
    const { message, ...row } = callRow(50_000, { id: 'toolu_1', command: 'cat it' });
    session.log(promptRow('Go.'), {
      ...row,
      version: '2.1.330',
      message: { ...(message as object), model: 'claude-opus-5-5' },
    });
    const { output } = await session.hook('PostToolUse', bashFields('toolu_1', 'cat it', LARGE));
    expect(output).toHaveProperty('hookSpecificOutput.updatedToolOutput');
  });

  it('no call waits for a window of which nobody can be asked', async () => {
    using session = hookedSession({ ...SMALL_RESULTS, window: undefined });
    await session.hook('SessionStart', { source: 'startup' });
    await session.hook('PostToolUse', bashFields('toolu_1', 'true', LARGE));
    expect(session.file(`hooks/${session.id}/state.json`)).not.toContain('words of this line');
    noteWindow(join(session.project, '.context'), session.id, 200_000);
    const { output } = await session.hook('PostToolUse', bashFields('toolu_2', 'cat it', LARGE));
    expect(output).toHaveProperty('hookSpecificOutput.updatedToolOutput');
  });

  it('a Read is limited before it is made', async () => {
    using session = hookedSession(SMALL_RESULTS);
    const path = join(session.project, 'long.txt');
    writeFileSync(path, LARGE);
    const { output } = await session.hook('PreToolUse', {
      tool_name: 'Read',
      tool_input: { file_path: path },
      tool_use_id: 'toolu_1',
    });
    expect(output).toMatchObject({ hookSpecificOutput: { updatedInput: { limit: expect.any(Number) } } });
    expect(JSON.stringify(output)).not.toContain('permissionDecision');
  });

  it('hooks of tools that run side by side are all answered, one after the other', async () => {
    using session = hookedSession(SMALL_RESULTS);
    await session.hook('SessionStart', { source: 'startup' });
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const results = await Promise.all(
      ids.map((id) => session.hook('PostToolUse', bashFields(`toolu_${id}`, `cat ${id}`, LARGE))),
    );
    for (const { output, notices } of results) {
      expect(output).toHaveProperty('hookSpecificOutput.updatedToolOutput');
      expect(notices).toEqual([]);
    }
    const { state } = JSON.parse(session.file(`hooks/${session.id}/state.json`));
    expect(Object.keys(state.toolBudget.open)).toEqual(ids.map((id) => `toolu_${id}`));
  });
});

describe('alerts', () => {
  it('the agent is asked once to come to a stopping point, and the person told', async () => {
    using session = hookedSession();
    await session.hook('SessionStart', { source: 'startup' });
    await session.hook('UserPromptSubmit', { prompt: 'Go.', prompt_id: 'p-1' });
    session.log(promptRow('Go.'), callRow(145_000, { id: 'toolu_1', command: 'true' }));
    const first = await session.hook('PostToolUse', bashFields('toolu_1', 'true', ''));
    expect(JSON.stringify(first.output)).toMatch(/Context budget: 73 % used \(145\d+ of 200000 tokens, measured\)/);
    expect(JSON.stringify(first.output)).toContain('That is nearly full');
    expect(first.notices).toEqual([expect.stringMatching(/^warning: the context is 73% full/)]);

    session.log(resultRow('toolu_1', ''), callRow(146_000, { id: 'toolu_2', command: 'true' }));
    const second = await session.hook('PostToolUse', bashFields('toolu_2', 'true', ''));
    expect(second).toEqual({ output: {}, notices: [] });
    expect(session.journal()).toEqual(['warn']);
  });

  // claude writes its log up to a tenth of a second late.
  describe.each([
    { log: 'has the call', isLate: false, basis: 'measured' },
    { log: 'lacks the call', isLate: true, basis: 'predicted' },
  ])('where the log $log', ({ isLate, basis }) => {
    it.each([
      { name: 'a result before it', result: LARGE.repeat(3), content: '' },
      { name: 'what the agent writes with it', result: '', content: LARGE.repeat(3) },
    ])('a context that $name has filled is told, once', async ({ result, content }) => {
      using session = hookedSession();
      await session.hook('SessionStart', { source: 'startup' });
      await session.hook('UserPromptSubmit', { prompt: 'Go.', prompt_id: 'p-1' });
      session.log(promptRow('Go.'), callRow(132_000, { id: 'toolu_1', command: 'ls' }), resultRow('toolu_1', result));
      const input = { file_path: '/tmp/a', content };
      const call = toolRow('toolu_2', 'Write', input, result === '' ? 132_100 : 143_000);
      if (!isLate) session.log(call);
      const fields = { tool_name: 'Write', tool_input: input, tool_use_id: 'toolu_2' };
      expect(await session.told('PreToolUse', fields)).toBe('');
      const first = await session.hook('PostToolUse', { ...fields, tool_response: {} });
      expect(JSON.stringify(first.output)).toMatch(
        new RegExp(`Context budget: 7\\d % used .14\\d+ of 200000 tokens, ${basis}.* That is nearly full`),
      );
      expect(session.journal()).toEqual(['warn']);

      session.log(...(isLate ? [call] : []), resultRow('toolu_2', ''));
      session.log(callRow(146_000, { id: 'toolu_3', command: 'true' }));
      const second = await session.hook('PostToolUse', bashFields('toolu_3', 'true', ''));
      expect(second).toEqual({ output: {}, notices: [] });
      expect(session.journal()).toEqual(['warn']);
    });
  });

  it('the window is the one that the status line was told', async () => {
    using session = hookedSession({ window: undefined });
    await session.hook('SessionStart', { source: 'startup' });
    noteWindow(join(session.project, '.context'), session.id, 1_000_000);
    session.log(callRow(545_000));
    expect(await session.told('UserPromptSubmit', { prompt: 'Go.' })).toMatch(/55 % used \(\d+ of 1000000 tokens/);
  });

  it.each([
    { name: 'in this version', version: '2.1.330', others: [], says: /61 % used \(121\d+ of 200000 tokens/ },
    { name: 'in another version', version: '2.1.197', others: [], says: /^$/ },
    { name: 'which stands for two', version: '2.1.330', others: ['claude-sonnet-4-5[1m]'], says: /^$/ },
  ])(
    'without a status line the window is what claude has said of the model $name',
    async ({ version, others, says }) => {
      using session = hookedSession({ window: undefined });
      const userFolder = join(session.project, 'keys');
      noteModelWindow(userFolder, { model: 'claude-sonnet-4-5', version }, 200_000);
      for (const model of others) noteModelWindow(userFolder, { model, version }, 1_000_000);
      await session.hook('SessionStart', { source: 'startup' });
      session.log({ ...callRow(120_000), version: '2.1.330' });
      await session.hook('Stop');
      session.log({ ...callRow(121_000), version: '2.1.330' });
      expect(await session.told('UserPromptSubmit', { prompt: 'Go.' })).toMatch(says);
    },
  );

  it('nothing is told while the window is not known', async () => {
    using session = hookedSession({ window: undefined });
    await session.hook('SessionStart', { source: 'startup' });
    session.log(callRow(165_000));
    expect(await session.told('UserPromptSubmit', { prompt: 'Go.' })).toBe('');
  });

  it('a session whose log no hook has seen is judged by its end, and noted from its beginning', async () => {
    using session = hookedSession();
    session.log(promptRow('An old one.'), callRow(120_000, { id: 't', command: 'ls' }), resultRow('t', 'a'));
    session.log(callRow(121_000));
    expect(await session.told('UserPromptSubmit', { prompt: 'Go.' })).toContain('61 % used (121');
    session.log(promptRow('Go.'), callRow(122_000, { id: 'u', command: 'pwd' }), resultRow('u', 'b'));
    expect((await session.hook('Stop')).notices).toEqual([]);
    expect(session.file('scratch.md')).toMatch(/#1: An old one\.[^#]+#2: Go\./);
    expect(session.file('scratch.md')).toMatch(/`ls`[\s\S]+`pwd`/);
  });

  it('one that has notes, as a run has kept them, is noted from where hooks are set up in it', async () => {
    using session = hookedSession();
    await turn(session, 'An old one.', 'ls');
    rmSync(join(session.project, '.context/hooks', session.id, 'state.json'));
    await turn(session, 'A new one.', 'pwd');
    expect(session.file('scratch.md')).toContain('\n2 prompts →');
  });
});

it('what one hook leaves for the next holds no secret once the turn is over', async () => {
  const token = `ghp_${'a1B2'.repeat(9)}`;
  using session = hookedSession();
  const state = () => session.file(`hooks/${session.id}/state.json`);
  await session.hook('SessionStart', { source: 'startup' });
  await session.hook('UserPromptSubmit', { prompt: `Push with ${token}.`, prompt_id: 'p-1' });
  session.log(promptRow('Push.'), callRow(60_000, { id: 'toolu_1', command: 'git push' }), resultRow('toolu_1', ''));
  const back = await session.told('SessionStart', { source: 'compact' });
  expect(back).toContain(`word for word:\n\nPush with ${token}.`);
  await session.hook('Stop');
  expect(state()).not.toContain(token);
  await session.hook('UserPromptSubmit', { prompt: 'Go on.', prompt_id: 'p-2' });
  expect(state()).toContain('Push with [masked: GitHub token].');
});

it('what one hook leaves for the next in a turn holds no secret but those of its prompts', async () => {
  const tokens = ['a1B2', 'c3D4', 'e5F6', 'g7H8'].map((part) => `ghp_${part.repeat(9)}`);
  using session = hookedSession();
  await session.hook('SessionStart', { source: 'startup' });
  const prompt = `Push with ${tokens[0]}.`;
  await session.hook('UserPromptSubmit', { prompt, prompt_id: 'p-1' });
  session.log(promptRow(prompt), callRow(60_000, { id: 'toolu_1', command: `git push ${tokens[1]}` }));
  await session.hook('PostToolUse', bashFields('toolu_1', `git push ${tokens[1]}`, 'done'));
  await session.hook('PostToolUse', {
    ...bashFields('toolu_2', 'true', 'done'),
    tool_name: 'mcp__forge__review',
    tool_input: { uuid: '1', line: 2, context: `Log in with ${tokens[3]}.` },
  });
  await session.hook('SessionStart', { source: 'compact' });
  await session.hook('PostCompact', { trigger: 'auto', compact_summary: `It pushes with ${tokens[2]}.` });
  const state = session.file(`hooks/${session.id}/state.json`);
  expect(tokens.map((token) => state.includes(token))).toEqual([true, false, false, false]);
  expect(state).toContain('git push [masked: GitHub token]');
  // The running prompt as it was handed back.
  expect(state).toMatch(new RegExp(`"context":"[^"]*Push with ${tokens[0]}`));
});

it('of sessions that are long over ctxb’s files are swept away, and nothing else', async () => {
  using session = hookedSession();
  const hooks = join(session.project, '.context/hooks');
  openContextDir(join(session.project, '.context'));
  for (const id of ['over', 'lately', 'theirs']) {
    mkdirSync(join(hooks, id), { recursive: true });
    writeFileSync(join(hooks, id, 'state.json'), '{}');
    if (id !== 'lately') utimesSync(join(hooks, id, 'state.json'), 0, 0);
  }
  writeFileSync(join(hooks, 'theirs/mine.sh'), 'mine');
  expect(await session.hook('SessionStart', { source: 'startup' })).toEqual({ output: {}, notices: [] });
  expect(
    readdirSync(hooks)
      .filter((id) => ['over', 'lately', 'theirs'].includes(id))
      .sort(),
  ).toEqual(['lately', 'theirs']);
  expect(readdirSync(join(hooks, 'theirs'))).toEqual(['mine.sh']);
});

describe('turns', () => {
  it('one that the person has stopped is over', async () => {
    using session = hookedSession();
    await session.hook('SessionStart', { source: 'startup' });
    await session.hook('UserPromptSubmit', { prompt: 'Stop me.' });
    session.log(promptRow('Stop me.'), callRow(50_000), promptRow('[Request interrupted by user]'));
    await session.hook('UserPromptSubmit', { prompt: 'And now.' });
    session.log(callRow(51_000, { id: 'toolu_1', command: 'x' }), resultRow('toolu_1', ''));
    expect(await session.told('SessionStart', { source: 'compact' })).toContain('word for word:\n\nAnd now.\n');
  });

  it('what is said into one belongs to it', async () => {
    using session = hookedSession();
    await session.hook('SessionStart', { source: 'startup' });
    await session.hook('UserPromptSubmit', { prompt: 'One.' });
    session.log(promptRow('One.'), callRow(50_000, { id: 'toolu_1', command: 'x' }));
    await session.hook('UserPromptSubmit', { prompt: 'And another.' });
    expect(await session.told('SessionStart', { source: 'compact' })).toContain(
      'word for word:\n\nOne.\n\nAnd another.',
    );
  });
});

describe('faults', () => {
  it.each([
    { name: 'damaged', text: '{"version":' },
    { name: 'not sealed', text: JSON.stringify({ version: VERSION, state: { session: { id: 'x' } } }) },
    { name: "another version's", text: '{"version":"0.0.0","state":{"run":7}}' },
  ])('a state that is $name counts as none', async ({ text }) => {
    using session = hookedSession();
    await session.hook('SessionStart', { source: 'startup' });
    writeFileSync(join(session.project, `.context/hooks/${session.id}/state.json`), text);
    session.log(callRow(121_000));
    expect(await session.told('UserPromptSubmit', { prompt: 'Go.' })).toContain('61 % used');
  });

  it('a log that was made anew is read from there', async () => {
    using session = hookedSession();
    await session.hook('SessionStart', { source: 'startup' });
    session.log(callRow(40_000), callRow(41_000), callRow(42_000));
    await session.hook('Stop');
    rmSync(join(session.project, `${session.id}.jsonl`));
    session.log(callRow(50_000));
    await session.hook('Stop');
    session.log(callRow(121_000));
    expect(await session.told('UserPromptSubmit', { prompt: 'Go.' })).toContain('61 % used');
  });

  it('a symbolic link in the place of the context folder is refused', async () => {
    using session = hookedSession();
    mkdirSync(join(session.project, 'elsewhere'));
    symlinkSync(join(session.project, 'elsewhere'), join(session.project, '.context'));
    await expect(session.hook('SessionStart', { source: 'startup' })).rejects.toThrow(/is a symbolic link/);
  });

  it('what cannot be stored is told once', async () => {
    using session = hookedSession(SMALL_RESULTS);
    await session.hook('SessionStart', { source: 'startup' });
    writeFileSync(join(session.project, '.context/tool-results'), 'in the way');
    const first = await session.hook('PostToolUse', bashFields('toolu_1', 'cat it', LARGE));
    const second = await session.hook('PostToolUse', bashFields('toolu_2', 'cat it', LARGE));
    expect(first.notices).toEqual([expect.stringMatching(/results of tools are not cut, .*move it away$/)]);
    expect(second.notices).toEqual([]);
    expect(session.journal()).toEqual(['fault']);
  });
});

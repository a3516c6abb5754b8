import { describe, expect, it } from 'vitest';
import { type Action, isDecision } from '../../../../src/core/governor/decisions.ts';
import { initialState } from '../../../../src/core/governor/initial-state.ts';
import type { Policy } from '../../../../src/core/governor/policy.ts';
import { focusText } from '../../../../src/core/governor/relief/focus.ts';
import {
  afterTurn,
  boundaryLine,
  callLine,
  type Driver,
  drive,
  hookLine,
  initLine,
  kinds,
  type Line,
  policyWith,
  resultLine,
  runWith,
  statusLine,
} from '../../../support/governor.ts';

const TEMPLATE = 'focus on {task} -- current state is {state}';

function focus(changes: Partial<Policy>, template = TEMPLATE): string {
  const policy = policyWith({ ...changes, compaction: { focus: template } });
  return focusText(initialState(runWith({ policy })));
}

it('blocks compactions of claude itself while their result cannot be written', () => {
  const driver = afterTurn(100_000);
  driver.prompt('Next.');
  driver.claude(initLine(), callLine(170_000));
  const fail = () => driver.claude(statusLine({ compact_result: 'failed', compact_error: 'ENOSPC: no space left' }));
  const isBlocked = (trigger: string) =>
    driver.claude(hookLine('PreCompact', { trigger })).some((one) => 'output' in one && 'decision' in one.output);
  expect(isBlocked('auto')).toBe(false);
  expect([...fail(), ...fail()].filter(isDecision)).toMatchObject([
    { kind: 'give-up', of: 'compaction', reason: 'claude cannot compact: ENOSPC: no space left' },
  ]);
  expect([isBlocked('auto'), isBlocked('manual')]).toEqual([true, false]);
  // The caller has cleared it.
  driver.claude(callLine(30_000));
  expect(isBlocked('auto')).toBe(false);
});

describe('the focus', () => {
  it.each([
    {
      name: 'both known',
      policy: { task: 'ship it', state: 'testing' },
      text: 'focus on ship it -- current state is testing',
    },
    { name: 'no state', policy: { task: 'ship it' }, text: 'focus on ship it' },
    { name: 'no task', policy: { state: 'testing' }, text: 'current state is testing' },
    { name: 'nothing known', policy: {}, text: '' },
    { name: 'an empty task', policy: { task: ' \n ', state: 'testing' }, text: 'current state is testing' },
    { name: 'several lines', policy: { task: 'one\n  two\r\n\tthree' }, text: 'focus on one two three' },
    { name: '200 code points', policy: { task: 'x'.repeat(250) }, text: `focus on ${'x'.repeat(200)}` },
    {
      name: '200 emoji, none of them halved',
      policy: { task: '😀'.repeat(250) },
      text: `focus on ${'😀'.repeat(200)}`,
    },
    {
      name: 'text that looks like a placeholder',
      policy: { task: 'the {state} of $& things' },
      text: 'focus on the {state} of $& things',
    },
  ])('$name', ({ policy, text }) => {
    expect(focus(policy)).toBe(text);
  });

  it('is the unchanged template if it has no placeholder', () => {
    expect(focus({}, 'keep all numbers')).toBe('keep all numbers');
  });

  it('falls back to the first prompt that is not a command', () => {
    const driver = drive();
    driver.begin();
    driver.prompt('/cost', 'Fix the parser.', 'And the lexer.');
    driver.claude(initLine(), resultLine());
    expect(focusText(driver.state)).toBe('focus on Fix the parser.');
  });

  it('describes the next prompt in whole sentences, not the first one', () => {
    const driver = drive(runWith({ policy: policyWith({ thresholds: { warn: 0.1, compact: 0.2 } }) }));
    driver.prompt('Fix the parser. It loses lines.');
    driver.claude(initLine(), callLine(150_000), resultLine());
    const long = `Now the lexer of src/a.ts reads on. ${'It must not lose a character of any line. '.repeat(8)}`;
    driver.prompt(long);
    const focus = focusText(driver.state).replace('focus on ', '');
    expect(focus).toMatch(/^Now the lexer of src\/a\.ts reads on\. It must .* line\.$/);
    expect(focus.length).toBeLessThanOrEqual(200);
  });

  it.each(['Go on.', 'yes', 'now the next'])('“%s” describes no task, so the earlier prompt counts', (short) => {
    const driver = drive();
    driver.prompt('Fix the parser of the clock.');
    driver.claude(initLine(), callLine(20_000), resultLine());
    driver.prompt('Now the lexer of it.');
    driver.claude(callLine(20_000), resultLine());
    driver.prompt(short);
    expect(focusText(driver.state)).toBe('focus on Now the lexer of it.');
  });

  it('names the notes that outlive the compaction', () => {
    const driver = drive(runWith({ policy: policyWith({ task: 'ship it' }) }));
    driver.tell({ kind: 'notes', path: '.context/sessions/s1' });
    expect(focusText(driver.state)).toBe(
      'focus on ship it -- say that notes of the whole session are in .context/sessions/s1/scratch.md',
    );
  });

  it('has the last reported state', () => {
    const driver = drive(runWith({ policy: policyWith({ task: 'ship it', state: 'testing' }) }));
    driver.tell({ kind: 'state', to: 'parser done' });
    expect(focusText(driver.state)).toBe('focus on ship it -- current state is parser done');
  });
});

const callback = (callback_id: string, input: Line): Line => ({
  type: 'control_request',
  request_id: 'h1',
  request: { subtype: 'hook_callback', callback_id, input },
});

const preCompact = (trigger: string) => callback('ctxb:pre-compact', { hook_event_name: 'PreCompact', trigger });
const sessionStart = (source: string) => callback('ctxb:session-start', { hook_event_name: 'SessionStart', source });

const answers = (actions: readonly Action[]) => actions.filter(({ kind }) => kind === 'answer-hook');

/** The text that was handed back, or undefined when the answer was empty. */
function restored(actions: readonly Action[]): string | undefined {
  const [answer] = answers(actions);
  return answer?.kind === 'answer-hook' ? answer.context : undefined;
}

function midTurn(...prompts: readonly string[]): Driver {
  const driver = drive();
  driver.begin();
  const [first = 'Do the thing.', ...more] = prompts;
  driver.prompt(first);
  driver.claude(initLine(), callLine(20_000));
  driver.prompt(...more);
  driver.claude(callLine(170_000));
  return driver;
}

describe('PreCompact', () => {
  it("gives the focus of claude's own compaction", () => {
    const actions = midTurn('Fix the parser.').claude(preCompact('auto'));
    expect(actions).toMatchObject([
      { kind: 'mid-turn', of: 'focus' },
      {
        kind: 'answer-hook',
        requestId: 'h1',
        output: { systemMessage: 'When you summarise, focus on Fix the parser.' },
      },
    ]);
  });

  it("says nothing about a caller's /compact, which has its focus as its argument", () => {
    expect(midTurn().claude(preCompact('manual'))).toMatchObject([{ kind: 'answer-hook', output: {} }]);
  });

  it("adds the notes to a caller's /compact, and not twice to ctxb's own", () => {
    const callers = midTurn();
    callers.tell({ kind: 'notes', path: 'notes' });
    const systemMessage = 'When you summarise, say that notes of the whole session are in notes/scratch.md';
    expect(callers.claude(preCompact('manual'))).toMatchObject([{ kind: 'answer-hook', output: { systemMessage } }]);

    const ours = afterTurn(160_000);
    ours.tell({ kind: 'notes', path: 'notes' });
    expect(kinds(ours.prompt('Next.'))).toContain('compact');
    expect(ours.claude(preCompact('manual'))).toMatchObject([{ kind: 'answer-hook', output: {} }]);
  });
});

describe('UserPromptSubmit', () => {
  it.each([
    {
      name: 'tells the budget with a prompt',
      prompt: 'Go on.',
      told: { context: 'Context budget: 55 % used (110001 of 200000 tokens, measured).' },
    },
    { name: 'tells nothing with a command, whose context may reach nobody', prompt: '/cost', told: {} },
  ])('$name', ({ prompt, told }) => {
    const hook = 'UserPromptSubmit';
    const answer = { kind: 'answer-hook', requestId: 'h1', hook, output: {}, ...told };
    expect(afterTurn(110_000).claude(callback('ctxb:user-prompt-submit', { hook_event_name: hook, prompt }))).toEqual([
      answer,
    ]);
  });
});

it('PostCompact is answered with nothing', () => {
  const summary = { hook_event_name: 'PostCompact', compact_summary: 'All was done.' };
  expect(midTurn().claude(callback('ctxb:post-compact', summary))).toEqual([
    { kind: 'answer-hook', requestId: 'h1', hook: 'PostCompact', output: {} },
  ]);
});

describe('SessionStart', () => {
  it('gives back the running prompt, word for word, within a turn', () => {
    const prompt = 'Do the thing.\n\n  Keep this: "x"  ';
    const actions = midTurn(prompt).claude(boundaryLine('auto', 170_000), sessionStart('compact'));
    expect(kinds(actions).filter((kind) => kind !== 'health')).toEqual([
      'native-compaction',
      'mid-turn:prompts',
      'answer-hook',
    ]);
    expect(restored(actions)).toContain(`word for word:\n\n${prompt}`);
  });

  it('gives back a running command, and says that it is a command', () => {
    expect(restored(midTurn('/fix 42').claude(sessionStart('compact')))).toContain(
      'word for word:\n\n/fix 42\n(a slash command: what it asks for is in its file, or behind the Skill tool)',
    );
  });

  it('gives back prompts that were sent into the turn as well, in order', () => {
    const actions = midTurn('One.', 'Two.').claude(sessionStart('compact'));
    expect(restored(actions)).toContain('One.\n\nTwo.');
    expect(actions).toMatchObject([{ kind: 'mid-turn', of: 'prompts', promptUuids: ['prompt-1', 'prompt-2'] }, {}]);
  });

  it.each([
    { name: 'a start', driver: () => drive(), source: 'startup' },
    { name: 'a resumed session', driver: () => midTurn(), source: 'resume' },
    { name: 'a cleared conversation', driver: () => midTurn(), source: 'clear' },
    { name: 'a compaction between turns', driver: () => afterTurn(100_000), source: 'compact' },
    {
      name: 'a compaction before the first call, where claude keeps the prompt',
      driver: () => {
        const driver = afterTurn(100_000);
        driver.prompt('Next.');
        driver.claude(initLine());
        return driver;
      },
      source: 'compact',
    },
    {
      name: 'our own compaction',
      driver: () => {
        const driver = afterTurn(160_000);
        driver.prompt('Next.');
        return driver;
      },
      source: 'compact',
    },
  ])('answers without a prompt after $name', ({ driver, source }) => {
    const recall = source === 'compact' ? { recall: true } : {};
    expect(driver().claude(sessionStart(source))).toEqual([
      { kind: 'answer-hook', requestId: 'h1', hook: 'SessionStart', output: {}, ...recall },
    ]);
  });

  it.each([
    { name: '5,000 characters', length: 5_000, shown: 5_000, kept: false },
    { name: '5,001 characters', length: 5_001, shown: 5_001, kept: true },
    { name: '8,000 characters', length: 8_000, shown: 8_000, kept: true },
    { name: '8,001 characters', length: 8_001, shown: 5_000, kept: true },
    { name: '100,000 characters', length: 100_000, shown: 5_000, kept: true },
  ])('a prompt of $name stays below the length that claude accepts uncut', ({ length, shown, kept }) => {
    const prompt = 'y'.repeat(length);
    const actions = midTurn(prompt).claude(sessionStart('compact'));
    const text = restored(actions) ?? '';
    expect(text.length).toBeLessThan(9_000);
    expect(text.match(/y{4,}/g)?.join('').length).toBe(shown);
    const files = actions.filter(({ kind }) => kind === 'keep');
    expect(files).toEqual(kept ? [{ kind: 'keep', file: 'prompts/prompt-1.md', texts: [prompt] }] : []);
    if (shown < length) expect(text).toContain('.context/prompts/prompt-1.md');
  });

  it('keeps both ends of a cut prompt: the beginning up to the end of a sentence, and the request below pasted text', () => {
    const sentence = 'Read src/a.ts and put the value in its place. ';
    const request = 'Never touch vendor/.';
    const text = restored(midTurn(sentence.repeat(300) + request).claude(sessionStart('compact'))) ?? '';
    expect(text).toContain('put the value in its place.\n[…]\n');
    expect(text).toMatch(/put the value in its place\. Never touch vendor\/\.$/);
  });

  it('stores a prompt block by block, so that masks recognize a secret across two blocks', () => {
    const texts = ['y'.repeat(5_000), 'z'.repeat(5_000)];
    const driver = drive();
    driver.begin();
    const content = texts.map((text) => ({ type: 'text', text }));
    driver.caller({ type: 'user', uuid: 'prompt-1', message: { role: 'user', content } });
    driver.claude(initLine(), callLine(170_000));
    const actions = driver.claude(sessionStart('compact'));
    expect(actions.find(({ kind }) => kind === 'keep')).toMatchObject({ texts });
  });

  it('cuts no character in two', () => {
    const actions = midTurn(`y${'😀'.repeat(5_000)}y`).claude(sessionStart('compact'));
    const text = restored(actions) ?? '';
    expect(Buffer.from(text).toString()).toBe(text);
  });
});

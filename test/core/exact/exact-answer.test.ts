import { describe, expect, it } from 'vitest';
import { exactAnswer } from '../../../src/core/exact/exact-answer.ts';
import type { Message } from '../../../src/core/exact/message.ts';
import type { ExactPlan } from '../../../src/core/exact/plan.ts';
import { listed, listedAgain, type Said } from './talk.ts';

const PLAN: ExactPlan = { version: 1, note: 'Notes are in .context/scratch.md.', budget: 10_000 };
const NOTE =
  '[ctxb] The conversation was compacted here. Prompts stand as they were said, older steps as one line each, the steps below this note whole.';
const LINES = '[ctxb] Done here, one line a step:';
const LONG = `${'one line of many\n'.repeat(1_000)}the last`;

const reportOf = (name: string, result: string) => `<task-notification>
<task-id>a1</task-id>
<status>completed</status>
<summary>Agent "${name}" finished</summary>
<result>${result}</result>
</task-notification>`;

/** As claude 2.1.332 tells of a command that the model is asked: what it stands for comes with the row. */
const COMMAND =
  '<command-message>fix</command-message>\n<command-name>/fix</command-name>\n<command-args>issue 42</command-args>';

const step = (command: string, result = LONG): Said => ({ calls: [[command, result]] });
const steps = (...commands: readonly string[]) => commands.map((command) => step(command));
const line = (command: string) => `- Bash \`${command}\` exit 0 — 1001 lines, 16.6KB, last \`the last\``;

/** What stays, a line a message. Rows of claude's own have an asterisk. */
function stays(messages: readonly Message[], plan: Partial<ExactPlan> = {}): readonly string[] {
  const { messages: stay = [], outcome } = exactAnswer(messages, { ...PLAN, ...plan });
  return outcome.why === undefined ? stay.map(sketch) : [outcome.why];
}

function sketch({ role, text, toolUses, toolResults = [], handle }: Message): string {
  const uses = toolUses.map(({ input }) => `<${(input as { command: string }).command}>`);
  const results = toolResults.map(
    ({ text, isError }) => `${isError ? '!' : '='}${text.length > 40 ? text.length : text}`,
  );
  return [`${handle === undefined ? '' : '*'}${role}:`, ...(text === '' ? [] : [text]), ...uses, ...results].join(' ');
}

describe('what stays between turns', () => {
  it('prompts as rows, older steps as lines, the last steps and answers built', () => {
    const talk = listed(
      ...['first', ...steps('a', 'b'), { words: 'Done with a.' }],
      ...['second', ...steps('c', 'd'), step('e', 'short'), step('f', 'short'), { words: 'Done.' }],
    );
    expect(stays(talk, { budget: 6_000 })).toEqual([
      '*user: first',
      `user: ${LINES}\n${line('a')}\n${line('b')}`,
      'assistant: Done with a.',
      '*user: second',
      `user: ${LINES}\n${line('c')}\n${line('d')}`,
      `user: ${NOTE}\n\n${PLAN.note}`,
      ...['assistant: <e>', 'user: =short', 'assistant: <f>', 'user: =short', 'assistant: Done.'],
    ]);
  });

  it.each<{ name: string; said: Said; left: readonly string[] }>([
    { name: 'what a command printed', said: '<local-command-stdout>Compacted</local-command-stdout>', left: [] },
    { name: 'an interruption', said: '[Request interrupted by user]', left: [] },
    { name: 'a shell command of the user', said: '<bash-input>ls</bash-input>', left: [] },
    { name: 'a picture alone', said: '', left: ['*user:'] },
    { name: 'a command that stands for a prompt', said: COMMAND, left: [`*user: ${COMMAND}`] },
    {
      name: 'words that begin like a note',
      said: '[ctxb] is what I call it',
      left: ['*user: [ctxb] is what I call it'],
    },
    {
      name: 'what has the work resumed, behind which nothing was done',
      said: '[ctxb] The API did not answer.\n\nGo on from where the work stands.',
      left: ['*user: [ctxb] The API did not answer.\n\nGo on from where the work stands.'],
    },
    { name: 'a prompt of blanks and a tag', said: '  <b>bold</b>', left: ['*user:   <b>bold</b>'] },
  ])('what looks like a prompt: $name', ({ said, left }) => {
    const talk = listed('first', ...steps('a', 'b', 'c', 'd'), { words: 'Done.' }, said);
    const stay = stays(talk);
    expect(stay.filter((text) => text.startsWith('*'))).toEqual(['*user: first', ...left]);
  });

  it('a command of claude that begins work stays, also at the next compaction, and one that it answers itself goes', () => {
    const command = (name: string) =>
      `<command-name>/${name}</command-name>\n            <command-args>x</command-args>`;
    const talk = listed('first', command('usage'), command('goal'), ...steps('a', 'b', 'c', 'd'), { words: 'Done.' });
    const { messages = [] } = exactAnswer(talk, PLAN);
    const later = [...listedAgain(messages, 1), ...listed('next', ...steps('e', 'f', 'g', 'h'))];
    for (const stay of [messages.map(sketch), stays(later)]) {
      expect(stay.filter((text) => text.startsWith('*')).slice(0, 2)).toEqual([
        '*user: first',
        `*user: ${command('goal')}`,
      ]);
    }
  });

  it('what had the work resumed goes once it was', () => {
    const resume = '[ctxb] The API did not answer.\n\nGo on from where the work stands.';
    const stay = stays(listed('first', ...steps('a', 'b'), resume, ...steps('c', 'd', 'e', 'f'), { words: 'Done.' }));
    expect(stay.filter((text) => text.startsWith('*'))).toEqual(['*user: first']);
  });

  it('what a task in the background has reported stays as a line, and whole while nothing has answered it', () => {
    const report = reportOf('Look', 'Nothing calls it\nbut src/b.ts.');
    const talk = ['first', ...steps('a', 'b'), { words: 'It looks.' }, report];
    expect(stays(listed(...talk)).at(-1)).toBe(`*user: ${report}`);
    const answered = [...talk, ...steps('c', 'd', 'e', 'f'), { words: 'Done.' }];
    const again = listedAgain(exactAnswer(listed(...answered), PLAN).messages ?? [], 2);
    for (const stay of [stays(listed(...answered)), stays([...again, ...listed('next', ...steps('g', 'h'))])]) {
      expect(stay.join('\n').split('- Agent "Look" finished: Nothing calls it but src/b.ts.\n')).toHaveLength(2);
      expect(stay.join('\n')).not.toContain('task-notification');
    }
  });

  it("claude's own summary stays as ctxb's, once, the latest only", () => {
    const opening = 'This session is being continued from a previous conversation that ran out of context.';
    const talk = listed(
      `${opening}\nSummary: old`,
      `${opening}\n\nSummary:\nnew\n\nIf you need specific details from before compaction, read`,
      'first',
      ...steps('a', 'b', 'c', 'd', 'e'),
    );
    const first = exactAnswer(talk, PLAN).messages ?? [];
    const expected = "user: [ctxb] Claude's summary of what came before:\nnew";
    expect(first.map(sketch).filter((text) => text.includes('summary'))).toEqual([expected]);
    const second = stays([...listedAgain(first, 1), ...listed('second', ...steps('f', 'g', 'h'))]);
    expect(second.filter((text) => text.includes('summary'))).toEqual([expected]);
    const long = listed(`${opening}\n${'A long story. '.repeat(3_000)}`, 'first', ...steps('a', 'b', 'c', 'd', 'e'), {
      words: 'ok',
    });
    const shortened = stays(long, { budget: 8_000 });
    expect(shortened[0]).toMatch(/^user: \[ctxb\] Claude's summary of what came before:\n.{1000,3000}\.\.\.$/s);
    expect(shortened[2]).toContain(line('a'));
  });
});

describe('what stays in mid-turn', () => {
  const thought = {
    thought: true,
    words: 'Thinking.',
    calls: [
      ['d', 'one'],
      ['e', 'two', 'failed'],
    ],
  } as const;

  it("the open step with claude's rows and thoughts, its results built, its prompt whole", () => {
    expect(stays(listed('run', ...steps('a', 'b'), step('c', 'short'), thought), { budget: 3_000 })).toEqual([
      ...['*user: run', `user: ${LINES}\n${line('a')}\n${line('b')}`, `user: ${NOTE}\n\n${PLAN.note}`],
      ...['assistant: <c>', 'user: =short'],
      ...['*assistant:', '*assistant: Thinking.', '*assistant: <d>', '*assistant: <e>', 'user: =one !two'],
    ]);
  });

  it.each([
    '',
    'File unchanged since last read. The content from the earlier Read is still current.',
    'Launching skill: greet',
  ])('a result that cannot be seen, or points to another text, says so: "%s"', (text) => {
    const { messages = [] } = exactAnswer(listed('run', ...steps('a', 'b', 'c'), step('d', text)), PLAN);
    expect(messages.at(-1)?.toolResults?.[0]?.text).toMatch(/^\[ctxb\] What stood here is gone/);
  });

  it('results that do not fit are shortened, the longest most', () => {
    const open: Said = {
      calls: [
        ['a', 'short'],
        ['b', LONG],
        ['c', LONG.slice(0, 500)],
      ],
    };
    const { messages = [], outcome } = exactAnswer(listed('run', open), { ...PLAN, budget: 3_000 });
    const texts = messages.at(-1)?.toolResults?.map(({ text }) => text) ?? [];
    expect(texts[0]).toBe('short');
    expect(texts[1]?.length).toBeLessThan(LONG.length / 5);
    expect(texts[1]).toMatch(/^one line of many\n.*\n\[.*the last$/s);
    expect(texts[2]).toBe(LONG.slice(0, 500));
    expect(outcome.after.tokens).toBeLessThan(3_000);
  });

  it('a step that was interrupted is not open: it becomes a line', () => {
    const talk = listed(
      'run',
      ...steps('a', 'b'),
      { calls: [['c', undefined]] },
      '[Request interrupted by user]',
      'on',
    );
    expect(stays(talk)).toEqual([
      ...['*user: run', `user: ${LINES}\n${line('a')}\n${line('b')}\n- Bash \`c\` failed — \`no result\``],
      ...[`user: ${NOTE}\n\n${PLAN.note}`, '*user: on'],
    ]);
  });

  it('a step that claude brings twice after --resume stands once', () => {
    const rows = listed('run', ...steps('a', 'b'), thought);
    const [use, words] = [rows.slice(-4, -2), rows.slice(-6, -4)];
    const twice = [...rows.slice(0, -6), ...words, ...words, ...use, ...use, ...rows.slice(-2)];
    const end = listed({ words: 'ok' }).map((row) => ({ ...row, handle: 'end' }));
    expect(stays([...twice, ...end], { budget: 3_000 }).slice(-3)).toEqual([
      ...['assistant: Thinking. <d> <e>', 'user: =one !two', 'assistant: ok'],
    ]);
  });

  it('what the user said meanwhile is put back where it was said, once, and stays', () => {
    const midTurn = [
      { text: 'not that', after: 'use-1-0-a' },
      { text: 'and hurry', after: 'gone' },
    ];
    const talk = listed('run', ...steps('a', 'b'), step('c', 'short'), thought);
    const first = exactAnswer(talk, { ...PLAN, budget: 3_000, midTurn });
    const heard = (text: string) => `user: [ctxb] The user said while you worked:\n${text}`;
    expect(first.messages?.map(sketch)).toEqual([
      ...['*user: run', `user: ${LINES}\n${line('a')}`, heard('not that'), `user: ${LINES}\n${line('b')}`],
      ...[`user: ${NOTE}\n\n${PLAN.note}`, 'assistant: <c>', 'user: =short'],
      ...['*assistant:', '*assistant: Thinking.', '*assistant: <d>', '*assistant: <e>', 'user: =one !two'],
      heard('and hurry'),
    ]);
    expect(first.outcome.prompts).toEqual({ kept: 3, of: 3 });
    const later = [...listedAgain(first.messages ?? [], 1), ...listed({ words: 'ok' }, 'next', ...steps('f', 'g'))];
    const again = stays(later, { budget: 3_000, midTurn });
    expect(again.filter((text) => /said while|run|next/.test(text))).toEqual([
      ...['*user: run', `*${heard('not that')}`, `*${heard('and hurry')}`, '*user: next'],
    ]);
  });
});

describe('what a task reports in mid-turn', () => {
  const [one, two] = [reportOf('One', 'It is unused.'), reportOf('Two', 'So is this.')];
  const said = ['- Agent "One" finished: It is unused.', '- Agent "Two" finished: So is this.'];
  const talk = ['run', ...steps('a', 'b'), step('c', 'short')];

  it('stays as a line behind the step before it once it was answered, and whole until then, then as a line', () => {
    const midTurn = [
      { text: one, after: 'use-1-0-a' },
      { text: two, after: '' },
    ];
    const { messages = [] } = exactAnswer(listed(...talk), { ...PLAN, midTurn });
    const lines = `user: ${LINES}\n${line('a')}\n${said[0]}`;
    expect(messages.map(sketch).slice(0, 2)).toEqual(['*user: run', lines]);
    expect(messages.map(sketch).slice(-2)).toEqual(['user: =short', `user: ${two}`]);
    const later = [...listedAgain(messages, 1), ...listed(...steps('d', 'e', 'f', 'g'))];
    // The plan may be older than the compaction before.
    const again = stays(later, { midTurn });
    for (const words of said) expect(again.join('\n').split(words)).toHaveLength(2);
    expect(again.join('\n')).not.toContain('task-notification');
  });

  it('is a line before the last answer where it is not known when it came, in its order', () => {
    const midTurn = [one, two].map((text) => ({ text, after: '' }));
    const stay = stays(listed(...talk, { words: 'Done.' }), { midTurn });
    expect(stay.join('\n')).toContain(said.join('\n'));
    expect(stay.at(-1)).toBe('assistant: Done.');
  });
});

it('a command that took too long is told as running, with where its output goes', () => {
  // As 2.1.332 writes it.
  const moved =
    'partial\nCommand did not complete within its 120s timeout and was moved to the background (ID: b79bqbalp). Output is being written to: /tmp/tasks/b79bqbalp.output. You will be notified when it completes.';
  const stay = stays(listed('run', step('npm test', moved), ...steps('a', 'b', 'c', 'd')));
  expect(stay[1]).toContain('- Bash `npm test` in the background, its output in `/tmp/tasks/b79bqbalp.output`\n');
});

it('the line of a skill says that its text is gone', () => {
  const skill = listed('run', { calls: [['x', 'Launching skill: greet']] }).map((message) => ({
    ...message,
    toolUses: message.toolUses.map((use) => ({ ...use, tool: 'Skill', input: { skill: 'greet', args: 'Anna' } })),
  }));
  const stay = stays([...skill, ...listed(...steps('a', 'b', 'c', 'd'))]);
  expect(stay[1]).toContain('- Skill `greet`: no text (it is gone: call it again where it still holds)\n');
});

describe('over many compactions', () => {
  it('notes are replaced, lines joined, and what was left out is counted on', () => {
    const first = exactAnswer(listed('one', ...steps('a', 'b', 'c', 'd'), { words: 'so' }), { ...PLAN, note: 'N1' });
    const talk = listed('two', ...steps('e', 'f', 'g'), { words: 'ok' });
    const second = stays([...listedAgain(first.messages ?? [], 1), ...talk], { note: 'N2', budget: 6_000 });
    expect(second).toEqual([
      ...['*user: one', `user: ${LINES}\n${['a', 'b', 'c', 'd'].map(line).join('\n')}`, 'assistant: so'],
      ...[
        '*user: two',
        `user: ${LINES}\n${['e', 'f', 'g'].map(line).join('\n')}`,
        `user: ${NOTE}\n\nN2`,
        'assistant: ok',
      ],
    ]);
  });

  it('of old lines those of changes and failures stay, and the rest is counted', () => {
    const many = Array.from({ length: 400 }, (_, at) => step(`echo ${at}`, `${at}`));
    const failed: Said = { calls: [['npm test', `Exit code 1\n${LONG}`, 'failed']] };
    const first = exactAnswer(listed('one', ...many.slice(0, 200), failed, ...many.slice(200)), PLAN);
    const texts = (first.messages ?? []).map(({ text }) => text).join('\n');
    expect(texts).toContain('- Bash `npm test` exit 1 — ');
    expect(texts).not.toContain('- Bash `echo 10`');
    expect(texts).toContain('- Bash `echo 390` exit 0 — `390`');
    const { gone, lines, whole } = first.outcome.steps;
    expect(gone + lines + whole).toBe(401);
    expect(texts).toContain(`${gone} older steps are left out.`);
    const more = [...listedAgain(first.messages ?? [], 1), ...listed({ words: 'ok' }, ...many)];
    const second = exactAnswer(more, PLAN).outcome;
    expect(second.steps.gone).toBeGreaterThan(gone + 300);
    expect(second.after.tokens).toBeLessThanOrEqual(first.outcome.after.tokens + 50);
  });

  it('the tenth is no larger than the second where so much is done that the room for lines is full by then', () => {
    const sizes: number[] = [];
    let talk = listed('do it');
    for (let count = 0; count < 10; count++) {
      const new60 = Array.from({ length: 60 }, (_, at) => step(`npm run step -- ${count}-${at}`, LONG.slice(0, 4_000)));
      const { messages = [], outcome } = exactAnswer([...talk, ...listed(...new60)], PLAN);
      sizes.push(outcome.after.tokens);
      talk = listedAgain(messages, count);
    }
    expect(sizes.at(-1)).toBeLessThanOrEqual((sizes[1] ?? 0) + 10);
  });
});

describe('what is left to claude', () => {
  it.each([
    {
      name: 'prompts that are too large',
      talk: ['x '.repeat(9_000), ...steps('a', 'b')],
      why: 'the prompts and the note alone are more than 3000 tokens',
    },
    {
      name: 'an open step that is too large',
      talk: ['go', { calls: [['x '.repeat(9_000), 'ok']] } as Said],
      why: expect.stringMatching(/^what has to stay is \d+ of 3000 tokens$/),
    },
    { name: 'nothing to leave out', talk: ['go', { words: 'Hello.' }], why: 'nothing can be left out' },
    { name: 'an empty conversation', talk: [], why: 'nothing can be left out' },
  ])('$name', ({ talk, why }) => {
    const { messages, outcome } = exactAnswer(listed(...talk), { ...PLAN, budget: 3_000 });
    expect(messages).toBeUndefined();
    expect(outcome).toMatchObject({ answered: false, why, prompts: { kept: 0 } });
    expect(outcome.after).toEqual(outcome.before);
  });
});

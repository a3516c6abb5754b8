import { describe, expect, it } from 'vitest';
import { exactAnswer } from '../../../src/core/exact/exact-answer.ts';
import { type Message, tokensOfAll } from '../../../src/core/exact/message.ts';
import { type ExactPlan, TOO_LARGE } from '../../../src/core/protocol/exact-plan.ts';
import { listed, listedAgain, type Said } from './talk.ts';

const PLAN: ExactPlan = { version: 1, note: 'Notes are in .context/scratch.md.', budget: 10_000 };
const NOTE =
  '[ctxb] The conversation was compacted here. Prompts stand as they were said, older steps as one line each, the steps below this note whole.';
const STEP = '[ctxb] Your last step, one line a call; what it gave back stands below:';
/** A model that refuses a thought when what stands before it has changed, and one that asks for it. */
const [NEW, OLD] = ['claude-opus-5-5', 'claude-sonnet-4-6'];
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
function stays(messages: readonly Message[], plan: Partial<ExactPlan> = {}, model = NEW): readonly string[] {
  const { messages: stay = [], outcome } = exactAnswer(messages, { ...PLAN, ...plan }, { model });
  return outcome.why === undefined ? stay.map(sketch) : [outcome.why];
}

function sketch({ role, text, toolUses, toolResults = [], handle }: Message): string {
  const uses = toolUses.map(({ input }) => `<${(input as { command: string }).command}>`);
  const results = toolResults.map(
    ({ text, isError }) => `${isError ? '!' : '='}${text.length > 40 ? text.length : text}`,
  );
  return [`${handle === undefined ? '' : '*'}${role}:`, ...(text === '' ? [] : [text]), ...uses, ...results].join(' ');
}

describe('a compaction in place of a summary', () => {
  const open = [{ words: 'Reading.' }, step('open', `${'x'.repeat(40_000)}`)];
  const bound = (room: number) => ({ room, from: 0 });
  const talk = listed('first', ...steps('a', 'b', 'c'), ...open);

  it('leaves no more than the summary beside the open step', () => {
    const { messages = [] } = exactAnswer(talk, { ...PLAN, budget: 50_000, summary: bound(1_000) });
    const openTokens = tokensOfAll(talk.slice(-3));
    expect(tokensOfAll(messages)).toBeLessThanOrEqual(openTokens + 1_000);
    expect(tokensOfAll(messages)).toBeGreaterThan(openTokens);
  });

  it('is left to claude if the prompts alone are larger', () => {
    const { messages, outcome } = exactAnswer([...listed('word '.repeat(2_000)), ...talk], {
      ...PLAN,
      summary: bound(1_000),
    });
    expect(messages).toBeUndefined();
    expect(outcome).toMatchObject({ answered: false, why: TOO_LARGE });
  });

  it('keeps the contents that pay below the native trigger', () => {
    const prompts = [...listed('word '.repeat(2_000)), ...talk];
    const at = (from: number) =>
      exactAnswer(prompts, { ...PLAN, budget: 50_000, summary: { room: 1_000, from } }).outcome.answered;
    const tokens = tokensOfAll(prompts);
    expect([at(tokens), at(tokens + 1)]).toEqual([false, true]);
  });

  it('is left to claude if contents have no room that claude shows again', () => {
    const keep = ['use-2-0-b'];
    expect(exactAnswer(talk, { ...PLAN, budget: 50_000, keep, summary: bound(3_000) }).outcome.why).toBe(TOO_LARGE);
    const { outcome } = exactAnswer(talk, { ...PLAN, budget: 50_000, keep, summary: bound(12_000) });
    expect(outcome.whole).toContain('use-2-0-b');
  });
});

describe('the remaining messages between turns', () => {
  it('keeps prompts as rows, older steps as lines, and builds the last steps and answers', () => {
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
  ])('keeps texts that look like a prompt: $name', ({ said, left }) => {
    const talk = listed('first', ...steps('a', 'b', 'c', 'd'), { words: 'Done.' }, said);
    const stay = stays(talk);
    expect(stay.filter((text) => text.startsWith('*'))).toEqual(['*user: first', ...left]);
  });

  const OPENINGS = [
    '<system-reminder>\nOpen: src/a.ts\n</system-reminder>',
    'This session is being continued from a previous conversation that ran out of context.\nSummary: none',
    '[Request interrupted by user]',
    'Caveat: The messages below were generated by the user while running local commands.',
    '<command-name>/compact</command-name>',
    '<task-notification>\n<summary>done</summary>\n</task-notification>',
    'Operation stopped by hook: why',
    '<teammate-message teammate_id="a">Hi.</teammate-message>',
    NOTE,
    `${LINES}\n- Bash`,
  ];

  it.each(OPENINGS)("keeps known words of the user that look like claude's text: %s", (said) => {
    const talk = listed(said, ...steps('a', 'b', 'c', 'd', 'e'), { words: 'Done.' }, `${said}\n\nFind out why.`);
    const prompts = [said, `${said}\n\nFind out why.`];
    const { messages = [], outcome } = exactAnswer(talk, { ...PLAN, prompts });
    expect(messages.filter(({ handle }) => handle !== undefined).map(({ text }) => text)).toEqual(prompts);
    expect(outcome.prompts).toEqual({ kept: 2, of: 2 });
  });

  it.each(OPENINGS.slice(0, 9).filter((text) => !/^This session|^Operation|^\[ctxb/.test(text)))(
    "keeps words after claude's text if their author is unknown: %s",
    (said) => {
      const talk = listed('first', ...steps('a', 'b', 'c', 'd', 'e'), { words: 'Done.' }, `${said}\n\nFind out why.`);
      expect(stays(talk).filter((text) => text.startsWith('*'))).toEqual([
        '*user: first',
        `*user: ${said}\n\nFind out why.`,
      ]);
    },
  );

  it('counts a prompt that claude does not pass as missing', () => {
    const talk = listed('first', ...steps('a', 'b', 'c', 'd', 'e'), { words: 'Done.' });
    const { outcome } = exactAnswer(talk, { ...PLAN, prompts: ['first', 'second'] });
    expect(outcome.prompts).toEqual({ kept: 1, of: 2 });
  });

  it('keeps a command that starts work, also at the next compaction, and drops a command that claude answers itself', () => {
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

  it("drops ctxb's request to resume once it was answered", () => {
    const resume = '[ctxb] The API did not answer.\n\nGo on from where the work stands.';
    const stay = stays(listed('first', ...steps('a', 'b'), resume, ...steps('c', 'd', 'e', 'f'), { words: 'Done.' }));
    expect(stay.filter((text) => text.startsWith('*'))).toEqual(['*user: first']);
  });

  it('keeps the report of a background task as a line, and whole until it is answered', () => {
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

  it("keeps only the latest of claude's summaries, as ctxb's message", () => {
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

describe('the remaining messages during a turn', () => {
  const thought = {
    thought: true,
    words: 'Thinking.',
    calls: [
      ['d', 'one'],
      ['e', 'two', 'failed'],
    ],
  } as const;

  it('keeps the open step without thoughts, and its prompt whole', () => {
    expect(stays(listed('run', ...steps('a', 'b'), step('c', 'short'), thought), { budget: 3_000 })).toEqual([
      ...['*user: run', `user: ${LINES}\n${line('a')}\n${line('b')}`, `user: ${NOTE}\n\n${PLAN.note}`],
      ...['assistant: <c>', 'user: =short', 'assistant: Thinking. <d> <e>', 'user: =one !two'],
    ]);
  });

  it("writes the open step in the user's words for a model that needs its thoughts, until it is answered", () => {
    const talk = listed('run', ...steps('a', 'b'), step('c', 'short'), thought);
    const told = '- said: Thinking.\n- Bash `d` exit 0 — `one`\n- Bash `e` failed — `two`';
    const step_ = `user: ${STEP}\n${told}\n\nBash {"command":"d"}\none\n\nBash {"command":"e"}\ntwo`;
    const before = `${LINES}\n${line('a')}\n${line('b')}\n- Bash \`c\` exit 0 — \`short\``;
    const stay = ['*user: run', `user: ${before}`, `user: ${NOTE}\n\n${PLAN.note}`, step_];
    expect(stays(talk, { budget: 3_000 }, OLD)).toEqual(stay);

    const { messages = [] } = exactAnswer(talk, { ...PLAN, budget: 3_000 }, { model: OLD });
    expect(stays(listedAgain(messages, 1), { budget: 3_000 }, OLD)).toEqual([...stay.slice(0, -1), `*${step_}`]);
    const later = [...listedAgain(messages, 1), ...listed({ words: 'ok' })];
    expect(stays(later, { budget: 3_000 }, OLD).slice(0, 2)).toEqual(['*user: run', `user: ${before}\n${told}`]);
  });

  it('writes the open step of any model as calls and results, if it has no thoughts', () => {
    const stay = stays(listed('run', ...steps('a', 'b'), step('c', 'short')), { budget: 3_000 }, OLD);
    expect(stay.slice(-2)).toEqual(['assistant: <c>', 'user: =short']);
  });

  const more = { toolUses: [], toolResults: [{ tool_use_id: 'use-4-0-d', text: 'a text', result: { type: 'image' } }] };
  it.each<{ name: string; last: Message[] }>([
    { name: 'is no text', last: listed('run', ...steps('a', 'b', 'c'), step('d', '')) },
    {
      name: 'points to an earlier one',
      last: listed('run', ...steps('a', 'b'), step('d', 'File unchanged since last read.')),
    },
    { name: 'points to another', last: listed('run', ...steps('a', 'b'), step('d', 'Launching skill: greet')) },
    {
      name: 'is a picture too',
      last: [...listed('run', ...steps('a', 'b', 'c'), step('d')).slice(0, -1), { role: 'user', text: '', ...more }],
    },
  ])('waits if an unseen result $name, or leaves the compaction to claude if it cannot wait', ({ last }) => {
    const why = 'the model has yet to see what a tool gave back beside text';
    expect(exactAnswer(last, PLAN, { roomToWait: 100_000 })).toMatchObject({
      reasonToWait: why,
      outcome: { answered: false },
    });
    expect(exactAnswer(last, PLAN, { roomToWait: 1_000 })).toMatchObject({ outcome: { answered: false, why } });
    const seen = exactAnswer([...last, ...listed({ words: 'ok' })], PLAN, { roomToWait: 100_000 });
    expect(seen.outcome.answered).toBe(true);
  });

  it('counts messages in the receipt as claude repeats them: one for words, and one for each call and result', () => {
    const talk = listed('run', ...steps('a', 'b'), {
      words: 'Both.',
      calls: [
        ['c', 'one'],
        ['d', 'two'],
      ],
    });
    const { messages = [], outcome } = exactAnswer(talk, { ...PLAN, budget: 3_000 });
    expect(messages.slice(-2).map(sketch)).toEqual(['assistant: Both. <c> <d>', 'user: =one =two']);
    expect(outcome.after.messages).toBe(messages.length + 3);
  });

  it('keeps an unseen result whole before contents that are likely to be used again', () => {
    const talk = listed('run', ...steps('a', 'b', 'c'));
    const keep = talk.flatMap(({ toolUses }) => toolUses.map(({ tool_use_id: id }) => id)).slice(0, 2);
    const { messages = [] } = exactAnswer(talk, { ...PLAN, keep });
    expect(messages.at(-1)?.toolResults?.[0]?.text).toBe(LONG);
  });

  it('keeps no picture that is likely to be used again: the call would stay without it', () => {
    const talk = listed('run', step('a', ''), ...steps('b', 'c', 'd', 'e', 'f'));
    const ids = talk.flatMap(({ toolUses }) => toolUses.map(({ tool_use_id: id }) => id));
    const { outcome } = exactAnswer(talk, { ...PLAN, budget: 50_000, keep: ids.slice(0, 2) });
    expect(outcome.whole).not.toContain(ids[0]);
    expect(outcome.whole).toContain(ids[1]);
  });

  it('keeps some calls of a reply whole, and a line for each other one, as the receipt says', () => {
    const both: Said = {
      words: 'Both.',
      calls: [
        ['used', 'x'.repeat(9_000)],
        ['other', LONG],
      ],
    };
    const talk = listed('run', both, ...steps('b', 'c', 'd', 'e'), { words: 'Done.' });
    const id = (command: string) =>
      talk.flatMap(({ toolUses }) => toolUses).find(({ tool_use_id }) => tool_use_id.endsWith(`-${command}`))
        ?.tool_use_id;
    const plan = { ...PLAN, budget: 9_000, keep: [id('used') ?? ''] };
    expect(stays(talk, plan).slice(0, 4)).toEqual([
      '*user: run',
      `user: ${LINES}\n${line('other')}`,
      'assistant: Both. <used>',
      'user: =9000',
    ]);
    const { outcome } = exactAnswer(talk, plan, { model: NEW });
    expect(outcome.whole).toContain(id('used'));
    expect(outcome.whole).not.toContain(id('other'));
    const { whole, lines, gone } = outcome.steps;
    expect(whole + lines + gone).toBe(6);
  });

  it('shortens results that do not fit if it cannot wait, the longest most', () => {
    const open: Said = {
      calls: [
        ['a', 'short'],
        ['b', LONG],
        ['c', LONG.slice(0, 500)],
      ],
    };
    const plan = { ...PLAN, budget: 3_000 };
    expect(exactAnswer(listed('run', open), plan, { roomToWait: 100_000 }).reasonToWait).toMatch(/no room/);
    const { messages = [], outcome } = exactAnswer(listed('run', open), plan);
    const texts = messages.at(-1)?.toolResults?.map(({ text }) => text) ?? [];
    expect(texts[0]).toBe('short');
    expect(texts[1]?.length).toBeLessThan(LONG.length / 5);
    expect(texts[1]).toMatch(/^one line of many\n.*\n\[.*the last$/s);
    expect(texts[2]).toBe(LONG.slice(0, 500));
    expect(outcome.after.tokens).toBeLessThan(3_000);
  });

  it('turns an interrupted step, which is not open, into a line', () => {
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

  it('keeps a step once that claude passes twice after --resume', () => {
    const rows = listed('run', ...steps('a', 'b'), thought);
    const [use, words] = [rows.slice(-4, -2), rows.slice(-6, -4)];
    const twice = [...rows.slice(0, -6), ...words, ...words, ...use, ...use, ...rows.slice(-2)];
    const end = listed({ words: 'ok' }).map((row) => ({ ...row, handle: 'end' }));
    expect(stays([...twice, ...end], { budget: 3_000 }).slice(-3)).toEqual([
      ...['assistant: Thinking. <d> <e>', 'user: =one !two', 'assistant: ok'],
    ]);
  });

  it("inserts the user's words during a turn once, at their place, and keeps them", () => {
    const midTurn = [
      { text: 'not that', after: 'use-1-0-a' },
      { text: 'and hurry', after: 'gone' },
    ];
    const talk = listed('run', ...steps('a', 'b'), step('c', 'short'), thought);
    const first = exactAnswer(talk, { ...PLAN, budget: 3_000, midTurn }, { model: NEW });
    const heard = (text: string) => `user: [ctxb] The user said while you worked:\n${text}`;
    expect(first.messages?.map(sketch)).toEqual([
      ...['*user: run', `user: ${LINES}\n${line('a')}`, heard('not that'), `user: ${LINES}\n${line('b')}`],
      ...[`user: ${NOTE}\n\n${PLAN.note}`, 'assistant: <c>', 'user: =short'],
      ...['assistant: Thinking. <d> <e>', 'user: =one !two', heard('and hurry')],
    ]);
    expect(first.outcome.prompts).toEqual({ kept: 3, of: 3 });
    const later = [...listedAgain(first.messages ?? [], 1), ...listed({ words: 'ok' }, 'next', ...steps('f', 'g'))];
    const again = stays(later, { budget: 3_000, midTurn });
    expect(again.filter((text) => /said while|run|next/.test(text))).toEqual([
      ...['*user: run', `*${heard('not that')}`, `*${heard('and hurry')}`, '*user: next'],
    ]);
  });
});

describe('the report of a task during a turn', () => {
  const [one, two] = [reportOf('One', 'It is unused.'), reportOf('Two', 'So is this.')];
  const said = ['- Agent "One" finished: It is unused.', '- Agent "Two" finished: So is this.'];
  const talk = ['run', step('a'), step('b', 'short'), step('c', 'short')];

  it('becomes a line after the preceding step once it was answered, and stays whole until then', () => {
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

  it('becomes a line before the last answer if its time is unknown, in order', () => {
    const midTurn = [one, two].map((text) => ({ text, after: '' }));
    const stay = stays(listed(...talk, { words: 'Done.' }), { midTurn });
    expect(stay.join('\n')).toContain(said.join('\n'));
    expect(stay.at(-1)).toBe('assistant: Done.');
  });
});

it('reports a command that exceeded its timeout as running, with the path of its output', () => {
  // As 2.1.332 writes it.
  const moved =
    'partial\nCommand did not complete within its 120s timeout and was moved to the background (ID: b79bqbalp). Output is being written to: /tmp/tasks/b79bqbalp.output. You will be notified when it completes.';
  const stay = stays(listed('run', step('npm test', moved), ...steps('a', 'b', 'c', 'd')));
  expect(stay[1]).toContain('- Bash `npm test` in the background, its output in `/tmp/tasks/b79bqbalp.output`\n');
});

it('keeps earlier steps whole only as far as every later call can afford to read them', () => {
  const stay = stays(listed('run', step('a', 'short'), step('b'), step('c', 'short'), step('d')), { budget: 50_000 });
  expect(stay.slice(0, 2)).toEqual(['*user: run', `user: ${LINES}\n- Bash \`a\` exit 0 — \`short\`\n${line('b')}`]);
  expect(stay.slice(-4)).toEqual(['assistant: <c>', 'user: =short', 'assistant: <d>', `user: =${LONG.length}`]);
});

describe('the line of an edit', () => {
  const edited = (input: object, isError = false, ...later: readonly Said[]) => {
    const use = { tool_use_id: 'edit', tool: 'Edit', input: { file_path: 'a.ts', ...input } };
    const [first, ...others] = listed('run', step('edit', 'Done.'), ...later, ...steps('a', 'b', 'c'), {
      words: 'Done.',
    });
    const rows = others.map((row) => {
      if (row.toolUses[0]?.tool_use_id === 'use-1-0-edit') return { ...row, toolUses: [use] };
      const [result] = row.toolResults ?? [];
      return result?.tool_use_id === 'use-1-0-edit'
        ? { ...row, toolResults: [{ ...result, tool_use_id: 'edit', isError }] }
        : row;
    });
    return stays([first as Message, ...rows])[1]?.split('\n')[1];
  };

  it('has the first line that the edit wrote', () => {
    const input = { old_string: 'if (a) {\n  limit = 1;', new_string: 'if (a) {\n  limit = 20;\n  other = 1;' };
    expect(edited(input)).toBe('- Edit `a.ts` (+3/-2 lines): `limit = 20;`');
    expect(edited({ old_string: 'a', new_string: 'long '.repeat(20) })).toBe(
      `- Edit \`a.ts\` (+1/-1 lines): \`${'long '.repeat(20).slice(0, 57)}...\``,
    );
  });

  it('stays longer than lines of commands', () => {
    const commands = Array.from({ length: 200 }, (_, at) => step(`npm test -- part-${at}`));
    expect(edited({ old_string: 'a', new_string: 'b' }, false, ...commands)).toContain('Edit `a.ts`');
    expect(stays(listed('run', step('first'), ...commands, { words: 'Done.' }))[1]).not.toContain('`first`');
  });

  it('has no line that the edit only left, or failed to write', () => {
    expect(edited({ old_string: 'a\nb', new_string: 'b' })).toBe('- Edit `a.ts` (+1/-2 lines)');
    expect(edited({ old_string: 'a', new_string: 'written' }, true)).not.toContain('written');
  });
});

it('the line of a skill notes that its text is gone', () => {
  const skill = listed('run', { calls: [['x', 'Launching skill: greet']] }).map((message) => ({
    ...message,
    toolUses: message.toolUses.map((use) => ({ ...use, tool: 'Skill', input: { skill: 'greet', args: 'Anna' } })),
  }));
  const stay = stays([...skill, ...listed(...steps('a', 'b', 'c', 'd'))]);
  expect(stay[1]).toContain('- Skill `greet`: no text (it is gone: call it again where it still holds)\n');
});

describe('over many compactions', () => {
  it('replaces notes, joins lines, and adds up omitted steps', () => {
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

  it('keeps the newest lines, and counts the rest', () => {
    const many = Array.from({ length: 400 }, (_, at) => step(`echo ${at}`, `${at}`));
    const first = exactAnswer(listed('one', ...many), PLAN);
    const texts = (first.messages ?? []).map(({ text }) => text).join('\n');
    expect(texts).not.toContain('- Bash `echo 10`');
    expect(texts).toContain('- Bash `echo 390` exit 0 — `390`');
    const { gone, lines, whole } = first.outcome.steps;
    expect(gone + lines + whole).toBe(400);
    expect(texts).toContain(`${gone} older steps are left out.`);
    const more = [...listedAgain(first.messages ?? [], 1), ...listed({ words: 'ok' }, ...many)];
    const second = exactAnswer(more, PLAN).outcome;
    expect(second.steps.gone).toBeGreaterThan(gone + 300);
    // The room is full to within a line.
    expect(second.after.tokens).toBeLessThanOrEqual(first.outcome.after.tokens + 100);
  });

  it('does not grow from the second to the tenth when the room for lines is full', () => {
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

describe('compactions left to claude', () => {
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

import { describe, expect, it } from 'vitest';
import { breakEvenTokens, tokensForResult } from '../../../../src/core/governor/tool-budget/room.ts';
import { setHistory } from '../../../../src/core/governor/tool-budget/tool-state.ts';
import {
  callLine,
  type Driver,
  decisions,
  kinds,
  type Line,
  type PolicyChanges,
  resultLine,
  userLine,
} from '../../../support/governor.ts';
import {
  answer,
  answers,
  bash,
  bashInstead,
  called,
  calling,
  failing,
  inTurn,
  type ModelCall,
  played,
  STORED,
} from '../../../support/tools.ts';

const FILE = { file_path: '/home/dev/project/a.txt' };
const READ: ModelCall = { tool: 'Read', input: FILE };
const LARGE = { lines: 3_000, fitting: 700 };
const OUTPUT = Array.from({ length: 5_000 }, (_, at) => `line ${at + 1} of the output`).join('\n');

const resultOf = (id: string, text: string, more: Line = {}) =>
  userLine([{ type: 'tool_result', tool_use_id: id, content: text }], more);

describe('a Read', () => {
  it.each([
    { what: 'that fits', input: FILE, file: { lines: 700, fitting: 700 }, limit: undefined },
    { what: 'of an empty file', input: FILE, file: { lines: 0, fitting: 0 }, limit: undefined },
    { what: 'of what is no text', input: FILE, file: undefined, limit: undefined },
    { what: 'that is too large', input: FILE, file: LARGE, limit: 700 },
    { what: 'of a line that is too large', input: FILE, file: { lines: 3, fitting: 0 }, limit: 1 },
    { what: 'with a limit that fits', input: { ...FILE, limit: 700 }, file: LARGE, limit: undefined },
    { what: 'with a limit that is too large', input: { ...FILE, limit: 2_000 }, file: LARGE, limit: 700 },
    { what: 'with a limit that is hardly too large', input: { ...FILE, limit: 701 }, file: LARGE, limit: undefined },
    { what: 'of all but the last part', input: { ...FILE, offset: 1_300 }, file: LARGE, limit: 700 },
    { what: 'beyond the end', input: { ...FILE, offset: 9_000 }, file: { lines: 3_000, fitting: 0 }, limit: undefined },
    { what: 'with keys of its own', input: { ...FILE, allow_large: true }, file: LARGE, limit: 700 },
  ])('$what', ({ input, file, limit }) => {
    const actions = played(inTurn(), calling({ tool: 'Read', input }), file && { file });
    const { specific } = answer(actions);
    expect(specific).toEqual(limit === undefined ? {} : { updatedInput: { ...input, limit } });
    expect(kinds(decisions(actions))).toEqual(limit === undefined ? [] : ['tool-budget:call']);
  });

  it.each([
    { what: 'passes up to the limit of claude', lines: 1_200, limit: undefined },
    { what: 'is limited above it', lines: 1_300, limit: 1_000 },
  ])('with the default budget $what', ({ lines, limit }) => {
    const driver = inTurn({ tools: { byTool: { Read: 25_000 } } });
    const actions = played(driver, calling(READ), { file: { lines, fitting: 1_000 } });
    expect(answer(actions).specific).toEqual(limit === undefined ? {} : { updatedInput: { ...FILE, limit } });
  });

  it.each(['a.png', 'A.JPG', 'a.ipynb', 'a.pdf'])('of %s is not measured', (name) => {
    expect(kinds(played(inTurn(), calling({ tool: 'Read', input: { file_path: `/${name}` } })))).toEqual([
      'answer-hook',
    ]);
  });

  it.each([{}, { file_path: 1 }, { file_path: null }, { ...FILE, pages: '1-2' }, null, 'x', []])(
    'with the input %j is not measured',
    (input) => {
      expect(kinds(played(inTurn(), calling({ tool: 'Read', input })))).toEqual(['answer-hook']);
    },
  );

  it('reports its lines, the next offset, and how many more lines are allowed', () => {
    const { context } = answer(played(inTurn(), calling(READ), { file: LARGE }));
    expect(context).toBe(
      'This Read returns lines 1-700 of 3000, as one result may take about 8000 tokens now. Continue with offset=701; the budget allows about 700 more lines.',
    );
  });

  it('of the last part has a limit, because claude refuses the end of a large file without one', () => {
    const input = { ...FILE, offset: 2_301 };
    const actions = played(inTurn(), calling({ tool: 'Read', input }), { file: LARGE });
    // What is behind the last line feed counts as a line.
    expect(answer(actions).specific).toEqual({ updatedInput: { ...input, limit: 701 } });
    expect(decisions(actions)).toEqual([]);
  });

  it('leads through the file to its end, part by part', () => {
    const driver = inTurn();
    const seen: number[] = [];
    for (let offset = 1; offset <= 3_000; ) {
      const left = 3_000 - offset + 1;
      const call = { tool: 'Read', input: { ...FILE, offset }, id: `r${offset}` };
      const actions = played(driver, calling(call), { file: { lines: 3_000, fitting: Math.min(left, 700) } });
      const given = Number((answer(actions).specific?.updatedInput as Line | undefined)?.limit ?? left);
      seen.push(given);
      driver.claude(resultOf(call.id, 'x'));
      const next = /offset=(\d+)/.exec(answer(actions).context ?? '')?.[1];
      offset = next === undefined ? 3_001 : Number(next);
    }
    expect(seen).toEqual([700, 700, 700, 700, 201]);
  });

  it('asks the host to measure the available room from the requested line', () => {
    const [measure] = inTurn().claude(calling({ tool: 'Read', input: { ...FILE, offset: 5.7 } }));
    expect(measure).toMatchObject({ kind: 'measure-file', offset: 5, chars: 28_000, path: FILE.file_path });
  });
});

describe('a mode', () => {
  const MODES: PolicyChanges[] = [{ tools: { mode: 'advise' } }, { tools: { mode: 'off' } }];

  it.each(MODES)('%j changes no call and no result', (policy) => {
    const driver = inTurn(policy);
    for (const line of [calling(READ), called({ response: bash(OUTPUT) }), failing({ error: OUTPUT })]) {
      const actions = played(driver, line, { file: LARGE });
      expect(answer(actions).specific).toEqual({});
      expect(decisions(actions)).toEqual([]);
      expect(kinds(actions)).not.toContain('store-result');
    }
  });

  it('advise adds advice, off does not', () => {
    const contexts = MODES.map((policy) => {
      const driver = inTurn(policy);
      return [calling(READ), called({ response: bash(OUTPUT) })].map((line) => {
        return answer(played(driver, line, { file: LARGE })).context;
      });
    });
    expect(contexts[0]).toEqual([
      expect.stringContaining('3000 lines, more than the 8000 tokens'),
      expect.stringContaining('ask for less at a time'),
    ]);
    expect(contexts[1]).toEqual([undefined, undefined]);
  });
});

describe('a result', () => {
  it('is stored whole before it is cut, and names the path', () => {
    const driver = inTurn();
    const actions = played(driver, called({ response: bash(OUTPUT) }));
    expect(kinds(actions)).toEqual(['store-result', 'tool-budget:result', 'answer-hook']);
    expect(actions[0]).toMatchObject({ name: 'toolu_1', text: OUTPUT });
    const instead = bashInstead(answer(actions)) ?? '';
    expect(instead).toContain(`in ${STORED}: continue with Read, offset=`);
    expect(instead).toContain('Bash make: ');
    expect(instead).toContain(`${OUTPUT.length} characters in 5000 lines, exit status 0`);
    expect(instead.endsWith('line 5000 of the output')).toBe(true);
    expect(instead.length / 3.5).toBeLessThanOrEqual(8_000);
  });

  it('can be continued at the named line', () => {
    const instead = bashInstead(answer(played(inTurn(), called({ response: bash(OUTPUT) })))) ?? '';
    const [, offset] = /offset=(\d+)/.exec(instead) ?? [];
    const shown = instead.split('\n').slice(1);
    expect(shown[Number(offset) - 2]).toBe(`line ${Number(offset) - 1} of the output`);
    expect(shown[Number(offset) - 1]).toMatch(/^\[… lines /);
    expect(shown[Number(offset) - 1]).toContain(`lines ${offset}-`);
  });

  it('passes whole if it cannot be stored', () => {
    const actions = played(inTurn(), called({ response: bash(OUTPUT) }), { path: undefined });
    expect(kinds(actions)).toEqual(['store-result', 'answer-hook']);
    expect(answer(actions)).toMatchObject({ specific: {} });
  });

  it('is never made longer', () => {
    const driver = inTurn({ tools: { perCall: 2, minTokens: 1 } });
    expect(answer(played(driver, called({ response: bash('one short line') }))).specific).toEqual({});
  });

  it.each([
    { what: 'interrupted', more: { interrupted: true }, said: ', interrupted.' },
    { what: 'sent to the background', more: { backgroundTaskId: 'b1' }, said: ', still running.' },
    { what: 'explained', more: { returnCodeInterpretation: 'No matches found' }, said: ', No matches found.' },
  ])('of a command that was $what reports that', ({ more, said }) => {
    const instead = bashInstead(answer(played(inTurn(), called({ response: bash(OUTPUT, more) })))) ?? '';
    expect(instead).toContain(said);
    expect(instead).not.toContain('exit status');
  });

  it('of a failure cannot be replaced, only commented on', () => {
    const { specific, context } = answer(played(inTurn(), failing({ error: 'x'.repeat(40_000) })));
    expect(specific).toEqual({});
    expect(context).toContain('about 11429 tokens');
    expect(answer(played(inTurn(), failing({ error: 'Exit code 1' }))).context).toBeUndefined();
  });

  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } };
  const line = (length: number) => ({ type: 'text', text: 'x y '.repeat(length / 4) });
  it.each([
    { what: '50,000 characters', tool: 'mcp__srv__get', response: [line(50_000)], isCut: true },
    { what: 'more', tool: 'mcp__srv__get', response: [line(50_004)], isCut: false },
    { what: 'more in two texts', tool: 'mcp__srv__get', response: [line(30_000), line(30_000)], isCut: false },
    { what: 'more as JSON', tool: 'mcp__srv__get', response: JSON.stringify(line(50_004)), isCut: false },
    { what: 'more beside a picture', tool: 'mcp__srv__get', response: [line(60_000), image], isCut: true },
    {
      what: 'more of an agent',
      tool: 'Agent',
      response: { status: 'completed', content: [line(60_000)] },
      isCut: false,
    },
    { what: 'more of a command', tool: 'Bash', response: bash(OUTPUT), isCut: true },
  ])('that claude stores itself stays with claude: $what', ({ tool, response, isCut }) => {
    const { specific } = answer(played(inTurn(), called({ tool, response })));
    expect(specific?.updatedToolOutput !== undefined).toBe(isCut);
  });

  it('of JSON stays JSON, with the omissions described next to it', () => {
    const items = Array.from({ length: 1_500 }, (_, id) => ({ id, name: `item ${id}` }));
    const text = JSON.stringify({ items, total: 1_500 });
    const actions = played(inTurn(), called({ tool: 'mcp__srv__list', response: [{ type: 'text', text }] }));
    const { specific, context = '' } = answer(actions);
    const output = specific?.updatedToolOutput as readonly { readonly text: string }[] | undefined;
    const cut = JSON.parse(output?.[0]?.text ?? '') as { items: unknown[]; total: number };
    expect(cut).toEqual({ items: items.slice(0, cut.items.length), total: 1_500 });
    const { length } = cut.items;
    expect(context).toContain(
      `$.items: total 1500, returned ${length}, the next has offset ${length} and begins on line `,
    );
    const line = Number(/begins on line (\d+)/.exec(context)?.[1]);
    const [store] = actions;
    const stored = store?.kind === 'store-result' ? [store.text].flat().join('\n') : '';
    expect(stored.split('\n')[line - 1]).toContain(JSON.stringify(items[length]));
    expect(JSON.parse(stored)).toEqual(JSON.parse(text));
  });

  it('of JSON with hundreds of lists has a short description', () => {
    const lists = Array.from({ length: 300 }, (_, at) => [
      `list_${'n'.repeat(40)}_${at}`,
      Array.from({ length: 50 }, () => 1),
    ]);
    const text = JSON.stringify(Object.fromEntries(lists));
    const { context = '' } = answer(
      played(inTurn(), called({ tool: 'mcp__srv__lists', response: [{ type: 'text', text }] })),
    );
    expect(context).toContain('more of its lists and objects are cut.');
    expect(context.length).toBeLessThan(3_000);
  });
});

describe('a replacement that this claude ignores', () => {
  it.each([
    { what: 'text', tool: 'Bash', text: OUTPUT },
    { what: 'JSON', tool: 'mcp__srv__list', text: JSON.stringify(Array.from({ length: 3_500 }, (_, id) => ({ id }))) },
    {
      what: 'JSON on many lines',
      tool: 'Bash',
      text: JSON.stringify(
        Array.from({ length: 9_000 }, (_, id) => ({ id })),
        null,
        2,
      ),
    },
  ])('is reported once, for $what; after that the agent only gets advice', ({ tool, text }) => {
    const driver = inTurn();
    const response = tool === 'Bash' ? bash(text) : [{ type: 'text', text }];
    const give = (id: string) => played(driver, called({ id, tool, response }));
    expect(kinds(give('a'))).toContain('tool-budget:result');
    expect(kinds(driver.claude(resultOf('a', text)))).toContain('unavailable:tools');
    const later = give('b');
    expect(kinds(later)).toEqual(['answer-hook']);
    expect(answer(later).specific).toEqual({});
    expect(kinds(driver.claude(resultOf('b', text)))).not.toContain('unavailable:tools');
  });

  it.each([
    { what: 'a text', tool: 'Bash', text: OUTPUT },
    { what: 'JSON', tool: 'mcp__srv__list', text: JSON.stringify(Array.from({ length: 3_500 }, (_, id) => ({ id }))) },
  ])('is not reported if $what is accepted, wrapped or failed', ({ tool, text }) => {
    const response = tool === 'Bash' ? bash(text) : [{ type: 'text', text }];
    const ways = [
      (shown: string) => resultOf('a', shown),
      (shown: string) =>
        resultOf('a', `[Subagent hand-back] The report follows:\n  ${shown.replaceAll('\n', '\n  ')}\nagentId: x`),
      () => userLine([{ type: 'tool_result', tool_use_id: 'a', content: 'aborted', is_error: true }]),
      () => resultOf('a', '<persisted-output>\nOutput too large (70KB).'),
    ];
    for (const way of ways) {
      const driver = inTurn();
      const { specific } = answer(played(driver, called({ id: 'a', tool, response })));
      const output = specific?.updatedToolOutput as { stdout: string } & { text: string }[];
      const line = way(output.stdout ?? output[0]?.text ?? '');
      expect(kinds(driver.claude(line))).not.toContain('unavailable:tools');
    }
  });
});

describe('a Grep', () => {
  const grep = (more: Line = {}) => calling({ tool: 'Grep', input: { pattern: 'x', ...more } });

  it('gets a limit that fits, and the agent is told', () => {
    const { specific, context } = answer(played(inTurn(), grep()));
    expect(specific).toEqual({ updatedInput: { pattern: 'x', head_limit: 180 } });
    expect(context).toContain('ctxb set head_limit=180');
  });

  it.each([3, '3', null, 0])('keeps the limit %j that the agent has set', (limit) => {
    expect(answer(played(inTurn(), grep({ head_limit: limit }))).specific).toEqual({});
  });

  it('has no limit in a mode that only advises', () => {
    expect(answer(played(inTurn({ tools: { mode: 'advise' } }), grep())).specific).toEqual({});
  });
});

describe('tiers', () => {
  const used = (driver: Driver) => driver.state.work.budget;

  it('of results start over at each turn', () => {
    const driver = inTurn();
    driver.claude(resultOf('a', 'x'.repeat(35_000)));
    expect(used(driver).results).toBe(10_000);
    driver.claude(resultLine());
    expect(used(driver).results).toBe(0);
  });

  it('of history are the summary of a compaction', () => {
    const driver = inTurn();
    driver.claude(resultOf('a', 'x'.repeat(35_000)));
    driver.claude({
      type: 'system',
      subtype: 'compact_boundary',
      session_id: 's1',
      compact_metadata: { trigger: 'auto', pre_tokens: 1 },
    });
    expect(used(driver)).toMatchObject({ results: 0, history: 0 });
    const summary = userLine('This session is being continued from a previous conversation', { isSynthetic: true });
    driver.claude(summary);
    expect(used(driver).history).toBe(18);
    expect(setHistory(driver.state, 'x'.repeat(350)).work.budget.history).toBe(100);
    driver.claude(resultLine());
    expect(used(driver).history).toBe(18);
  });
});

describe('a subagent', () => {
  const started = {
    type: 'system',
    subtype: 'task_started',
    session_id: 's1',
    task_id: 'agent-1',
    tool_use_id: 'toolu_agent',
    task_type: 'local_agent',
  };
  const spoke = (tokens: number) => callLine(tokens, { parent_tool_use_id: 'toolu_agent' });

  it('has its own plan and window', () => {
    const driver = inTurn({}, 140_000);
    expect(tokensForResult(driver.state, { tool: 'Bash', agent: null })).toBe(8_000);
    expect(tokensForResult(driver.state, { tool: 'Bash', agent: 'agent-1' })).toBe(8_000);
    driver.claude(started, spoke(155_000));
    // Not the 1,000 that are left until its relief: a call costs more than so few.
    expect(tokensForResult(driver.state, { tool: 'Bash', agent: 'agent-1' })).toBe(breakEvenTokens(155_000));
    expect(tokensForResult(driver.state, { tool: 'Bash', agent: null })).toBe(8_000);
    driver.claude(spoke(50_000));
    expect(tokensForResult(driver.state, { tool: 'Bash', agent: 'agent-1' })).toBe(8_000);
  });

  it('has its own results, which the main thread does not count', () => {
    const driver = inTurn();
    driver.claude(started);
    played(driver, called({ id: 's', agent: 'agent-1', response: bash('x'.repeat(3_500)) }));
    driver.claude(resultOf('s', 'x'.repeat(3_500), { parent_tool_use_id: 'toolu_agent' }));
    expect(driver.state.work.budget).toMatchObject({ results: 0, agents: { 'agent-1': 1_000 } });
    expect(driver.state.work.budget.open).toEqual({});
  });

  it("is cut like the main thread, without the main thread's notices", () => {
    const driver = inTurn({ tools: { warnBelow: 90_000, criticalBelow: 80_000 } }, 150_000);
    const actions = played(driver, called({ id: 's', agent: 'agent-1', response: bash(OUTPUT) }));
    expect(kinds(actions)).toContain('tool-budget:result');
    expect(answer(actions).context ?? '').not.toContain('tokens remaining');
  });
});

describe('callbacks with odd input', () => {
  const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`) as unknown;
  const CALLS: readonly { what: string; call: ModelCall; more?: Line }[] = [
    { what: 'no id', call: { response: bash(OUTPUT) }, more: { tool_use_id: undefined } },
    { what: 'no tool', call: { response: bash(OUTPUT) }, more: { tool_name: undefined } },
    { what: 'an input that is null', call: { response: bash(OUTPUT) }, more: { tool_input: null } },
    { what: 'an empty agent', call: { response: bash(OUTPUT), agent: '' } },
    { what: 'no response', call: {} },
    { what: 'a response that is null', call: { tool: 'mcp__a__b', response: null } },
    { what: 'a deep response', call: { tool: 'mcp__a__b', response: deep } },
    { what: 'a deep input', call: { tool: 'mcp__a__b', input: { deep }, response: [{ type: 'text', text: OUTPUT }] } },
    {
      what: 'ids that every object has',
      call: { id: '__proto__', tool: '__proto__', agent: '__proto__', response: bash(OUTPUT) },
    },
    { what: 'a constructor', call: { id: 'constructor', agent: 'constructor', response: bash(OUTPUT) } },
    { what: 'a folder that is no text', call: READ, more: { cwd: 7 } },
  ];

  it.each(CALLS)('$what: each is answered once', ({ call, more }) => {
    const driver = inTurn();
    for (const line of [calling(call, more), called(call, more), failing({ ...call, error: OUTPUT }, more)])
      expect(answers(played(driver, line, { file: LARGE }))).toHaveLength(1);
    driver.claude(resultOf(call.id ?? 'toolu_1', 'x'), resultLine());
    expect(tokensForResult(driver.state, { tool: 'Bash', agent: null })).toBe(8_000);
  });

  it('a request with the id __proto__ is answered under it', () => {
    const driver = inTurn();
    const line = { ...called({ response: bash(OUTPUT) }), request_id: '__proto__' };
    expect(answer(played(driver, line))).toMatchObject({ requestId: '__proto__', specific: { updatedToolOutput: {} } });
  });

  it('a host message that no call waits for is ignored', () => {
    const driver = inTurn();
    for (const requestId of ['', 'unknown', '__proto__', 'constructor']) {
      expect(driver.tell({ kind: 'result-stored', requestId, path: STORED })).toEqual([]);
      expect(driver.tell({ kind: 'file-measured', requestId, file: LARGE })).toEqual([]);
    }
  });

  it('a repeated host message is answered once', () => {
    const driver = inTurn();
    const [store] = driver.claude(called({ response: bash(OUTPUT) }));
    const requestId = store?.kind === 'store-result' ? store.requestId : '';
    expect(answers(driver.tell({ kind: 'result-stored', requestId, path: STORED }))).toHaveLength(1);
    expect(driver.tell({ kind: 'result-stored', requestId, path: STORED })).toEqual([]);
    const [measure] = driver.claude(calling(READ));
    const asked = measure?.kind === 'measure-file' ? measure.requestId : '';
    expect(driver.tell({ kind: 'result-stored', requestId: asked, path: STORED })).toEqual([]);
    expect(answers(driver.tell({ kind: 'file-measured', requestId: asked, file: LARGE }))).toHaveLength(1);
  });
});

import { expect, it } from 'vitest';
import { callLine, type Driver, kinds, type Line, type PolicyChanges, userLine } from '../../../support/governor.ts';
import { answer, bash, called, inTurn, played, STORED } from '../../../support/tools.ts';

const OUTPUT = Array.from({ length: 5_000 }, (_, at) => `line ${at + 1} of the output`).join('\n');
const DEFAULT: PolicyChanges = { tools: { byTool: { Read: 25_000 } } };

/** The model calls a tool; its result is what the hook left of it. Says whether ctxb cut it. */
function use(driver: Driver, id: string, name: string, input: Line, text: string): boolean {
  driver.claude(callWith(id, name, input));
  const actions = name === 'Bash' ? played(driver, called({ id, tool: name, input, response: bash(text) })) : [];
  const { updatedToolOutput } = actions.length === 0 ? {} : (answer(actions).specific ?? {});
  const shown = updatedToolOutput === undefined ? text : String((updatedToolOutput as Line).stdout);
  driver.claude(userLine([{ type: 'tool_result', tool_use_id: id, content: shown }]));
  return kinds(actions).includes('tool-budget:result');
}

function callWith(id: string, name: string, input: Line): Line {
  const { message, ...line } = callLine(30_000);
  return { ...line, message: { ...Object(message), content: [{ type: 'tool_use', id, name, input }] } };
}

const run = (driver: Driver, id: string) => use(driver, id, 'Bash', { command: `make ${id}` }, OUTPUT);
const readRest = (driver: Driver) => use(driver, 'rest', 'Read', { file_path: STORED }, OUTPUT);

it('results pass whole once the rest of a cut one was fetched', () => {
  const driver = inTurn(DEFAULT);
  expect(run(driver, 'toolu_1')).toBe(true);
  readRest(driver);
  expect(run(driver, 'toolu_2')).toBe(false);
});

it('results are cut while nobody fetches the rest', () => {
  const driver = inTurn(DEFAULT);
  expect(['toolu_1', 'toolu_2', 'toolu_3'].map((id) => run(driver, id))).toEqual([true, true, true]);
});

it('results are cut again while others have saved more than the call that fetched one', () => {
  const driver = inTurn(DEFAULT);
  for (const id of ['toolu_1', 'toolu_2', 'toolu_3']) run(driver, id);
  readRest(driver);
  expect(run(driver, 'toolu_4')).toBe(true);
});

it.each<[string, PolicyChanges]>([
  ['of all tools', { tools: { byTool: {} } }],
  ['of a tool', { tools: { byTool: { Read: 25_000, Bash: 8_000 } } }],
])('a budget that was set holds: %s', (_, changes) => {
  const driver = inTurn(changes);
  expect(run(driver, 'toolu_1')).toBe(true);
  readRest(driver);
  expect(run(driver, 'toolu_2')).toBe(true);
});

import { expect, it } from 'vitest';
import { flow, found, step } from '../../support/flow.ts';

const FLOW_KEYS = '$schema, name, profile, profiles, budgets, curator, scentTrail, steps';
const STEP_KEYS =
  'id, agent, priority, objective, inputs, outputs, teaching, prompt, budgets, curator, model, timeoutSeconds, onFail';
const BUDGET_KEYS = 'preset, contextBudgetChars, historyRecentChars, historyOlderChars';
const PROFILE = 'a name in profiles, or the NAME of a file profiles/NAME.yaml next to the flow';
const NAME = 'a text of letters, digits, "-" and "_" that begins with a letter or digit, at most 64 long';

it.each([
  {
    name: 'nothing at all',
    text: '',
    findings: [`f.yaml: expected an object with ${FLOW_KEYS}, found null (f.yaml:1); give it keys or remove it`],
  },
  {
    name: 'a list',
    text: '# a comment\n- x',
    findings: [`f.yaml: expected an object with ${FLOW_KEYS}, found ["x"] (f.yaml:2); nest the keys in it`],
  },
  {
    name: 'no name, no steps',
    text: 'budgets: {}',
    findings: [
      `name: expected ${NAME}, found nothing (f.yaml:1); add the key`,
      'steps: expected a list of 1 to 1000 steps, found nothing (f.yaml:1); add the key',
    ],
  },
  {
    name: 'no step',
    text: 'name: a\nsteps: []',
    findings: ['steps: expected a list of 1 to 1000 steps, found a list of 0 (f.yaml:2); correct it'],
  },
  {
    name: 'too many steps',
    text: flow(...Array.from({ length: 1001 }, (_, index) => `id: s${index}`)),
    findings: ['steps: expected a list of 1 to 1000 steps, found a list of 1001 (f.yaml:2); correct it'],
  },
  {
    name: 'a step that is none',
    text: 'name: a\nsteps:\n  - x\n  -\n',
    findings: [
      `steps[0]: expected an object with ${STEP_KEYS}, found "x" (f.yaml:3); nest the keys in it`,
      `steps[1]: expected an object with ${STEP_KEYS}, found null (f.yaml:4); give it keys or remove it`,
    ],
  },
  {
    name: 'every unknown key of a level',
    text: step('zzz: 1', 'objektive: 2'),
    findings: [
      `steps[0].zzz: expected one of ${STEP_KEYS}, found "zzz" (f.yaml:5); remove it`,
      `steps[0].objektive: expected one of ${STEP_KEYS}, found "objektive" (f.yaml:6); did you mean objective?`,
    ],
  },
  {
    name: 'a key of another level',
    text: step('teaching: {inputs: [a]}', 'emphasis: [b]', 'contextBudgetChars: 20000', 'scentTrail: a'),
    findings: [
      'steps[0].teaching.inputs: expected one of notes, emphasis, constraints, found "inputs" (f.yaml:5); remove it',
      `steps[0].emphasis: expected one of ${STEP_KEYS}, found "emphasis" (f.yaml:6); remove it`,
      `steps[0].contextBudgetChars: expected one of ${STEP_KEYS}, found "contextBudgetChars" (f.yaml:7); remove it`,
      `steps[0].scentTrail: expected one of ${STEP_KEYS}, found "scentTrail" (f.yaml:8); remove it`,
    ],
  },
  {
    name: 'budgets spelled with underscores',
    text: 'budgets:\n  context_budget_chars: 1\n  history_max_recent_chars: 2\n  history_max_older_chars: 3\nname: a\nsteps: [{id: x, prompt: y}]',
    findings: [
      `budgets.context_budget_chars: expected one of ${BUDGET_KEYS}, found "context_budget_chars" (f.yaml:2); did you mean contextBudgetChars?`,
      `budgets.history_max_recent_chars: expected one of ${BUDGET_KEYS}, found "history_max_recent_chars" (f.yaml:3); did you mean historyRecentChars?`,
      `budgets.history_max_older_chars: expected one of ${BUDGET_KEYS}, found "history_max_older_chars" (f.yaml:4); did you mean historyOlderChars?`,
    ],
  },
  {
    name: 'budgets of the wrong type',
    text: step(
      'budgets:',
      '  contextBudgetChars: "200,000"',
      '  historyRecentChars: 1.5',
      '  historyOlderChars: -1',
      '  preset: leen',
    ),
    findings: [
      'steps[0].budgets.contextBudgetChars: expected a whole number of characters, 0 or more, found "200,000" (f.yaml:6); correct it',
      'steps[0].budgets.historyRecentChars: expected a whole number of characters, 0 or more, found 1.5 (f.yaml:7); correct it',
      'steps[0].budgets.historyOlderChars: expected a whole number of characters, 0 or more, found -1 (f.yaml:8); correct it',
      'steps[0].budgets.preset: expected one of "lean", "balanced", "heavy", found "leen" (f.yaml:9); did you mean "lean"?',
    ],
  },
  {
    name: 'a key without a value',
    text: `budgets:\n${step('inputs:')}`,
    findings: [
      `budgets: expected an object with ${BUDGET_KEYS}, found null (f.yaml:1); give it keys or remove it`,
      'steps[0].inputs: expected a list of paths, found null (f.yaml:6); give it a value or remove it',
    ],
  },
  {
    name: 'numbers out of bounds',
    text: `curator: {maxFiles: 0}\n${step('timeoutSeconds: 0')}`,
    findings: [
      'curator.maxFiles: expected a whole number from 1 to 200, found 0 (f.yaml:1); correct it',
      'steps[0].timeoutSeconds: expected a number of seconds above 0, at most 86400, found 0 (f.yaml:6); correct it',
    ],
  },
  {
    name: 'numbers that are none, and one that never ends',
    text: `curator: {maxFiles: 1e0.5}\n${step('timeoutSeconds: .inf')}`,
    findings: [
      'curator.maxFiles: expected a whole number from 1 to 200, found "1e0.5" (f.yaml:1); correct it',
      'steps[0].timeoutSeconds: expected a number of seconds above 0, at most 86400, found Infinity (f.yaml:6); correct it',
    ],
  },
  {
    name: 'a text in the place of a list',
    text: step('inputs: a.md', 'outputs: x'),
    findings: [
      'steps[0].inputs: expected a list of paths, found "a.md" (f.yaml:5); correct it',
      'steps[0].outputs: expected a list of paths, found "x" (f.yaml:6); correct it',
    ],
  },
  {
    name: 'empty texts, a path of two lines, a model that would be an option',
    text: step('agent: ""', 'outputs: ["a\\nb"]', 'model: --resume', 'teaching: {emphasis: [" "]}'),
    findings: [
      'steps[0].agent: expected a text that is not empty, found "" (f.yaml:5); correct it',
      'steps[0].outputs[0]: expected a path, found "a\\nb" (f.yaml:6); correct it',
      'steps[0].model: expected the name of a model, found "--resume" (f.yaml:7); correct it',
      'steps[0].teaching.emphasis[0]: expected a text that is not empty, found " " (f.yaml:8); correct it',
    ],
  },
  {
    name: 'ids that cannot be folders',
    text: flow('id: 0', 'id: ..', 'id: a/b', 'id: -a', `id: ${'x'.repeat(65)}`, 'id: ä'),
    findings: [
      `steps[0].id: expected ${NAME}, found 0 (f.yaml:3); correct it`,
      `steps[1].id: expected ${NAME}, found ".." (f.yaml:4); correct it`,
      `steps[2].id: expected ${NAME}, found "a/b" (f.yaml:5); correct it`,
      `steps[3].id: expected ${NAME}, found "-a" (f.yaml:6); correct it`,
      `steps[4].id: expected ${NAME}, found "${'x'.repeat(56)}... (f.yaml:7); correct it`,
      `steps[5].id: expected ${NAME}, found "ä" (f.yaml:8); correct it`,
    ],
  },
  {
    name: 'a name that cannot be a folder',
    text: 'name: my flow\nsteps: [{id: x, prompt: y}]',
    findings: [`name: expected ${NAME}, found "my flow" (f.yaml:1); correct it`],
  },
  {
    name: 'the same id, also in other case',
    text: flow('id: build', 'id: test', 'id: Build', 'id: test'),
    findings: [
      'steps[2].id: expected an id unlike that of any other step, found "Build" as in steps[0] (f.yaml:5); rename one',
      'steps[3].id: expected an id unlike that of any other step, found "test" as in steps[1] (f.yaml:6); rename one',
    ],
  },
  {
    name: 'nothing to do',
    text: 'name: a\nsteps:\n  - id: x\n    agent: y\n  - id: z\n    prompt: y',
    findings: ['steps[0]: expected objective or prompt, found neither (f.yaml:3); describe the work of the step'],
  },
  {
    name: 'a profile that there is not',
    text: `profile: dayly\nprofiles: {daily: {}, "two\\nlines": {budget: 1}}\n${step()}`,
    findings: [
      `profile: expected ${PROFILE}, found "dayly" (f.yaml:1); did you mean "daily"?`,
      'profiles."two\\nlines".budget: expected one of budgets, curator, found "budget" (f.yaml:2); did you mean budgets?',
    ],
  },
  {
    name: 'a preset as profile',
    text: `profile: heavy\n${step()}`,
    findings: [`profile: expected ${PROFILE}, found "heavy" (f.yaml:1); add it there, or name another`],
  },
  {
    name: 'a profile that every object has from birth',
    text: `profile: toString\n${step()}`,
    findings: [`profile: expected ${PROFILE}, found "toString" (f.yaml:1); add it there, or name another`],
  },
  {
    name: 'lines that end as on Windows',
    text: step('timeoutSecond: 1').replaceAll('\n', '\r\n'),
    findings: [
      `steps[0].timeoutSecond: expected one of ${STEP_KEYS}, found "timeoutSecond" (f.yaml:5); did you mean timeoutSeconds?`,
    ],
  },
])('reports $name', ({ text, findings }) => {
  expect(found(text)).toEqual(findings);
});

it('reports a hundred findings and counts the rest', () => {
  const messages = found(`${step()}\n${Array.from({ length: 250 }, (_, index) => `k${index}: 1`).join('\n')}`);
  expect(messages).toHaveLength(101);
  expect(messages.at(-1)).toBe('f.yaml: 150 more findings; correct these first');
});

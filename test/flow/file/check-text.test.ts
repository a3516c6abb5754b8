import { expect, it } from 'vitest';
import { found, step } from '../../support/flow.ts';

const FLOW_KEYS = '$schema, name, profile, profiles, budgets, curator, scentTrail, steps';
const STEP_KEYS =
  'id, agent, priority, objective, inputs, outputs, teaching, prompt, budgets, curator, model, timeoutSeconds, onFail';
const BUDGET_KEYS = 'preset, contextBudgetChars, historyRecentChars, historyOlderChars';

it.each([
  {
    name: 'where YAML goes wrong',
    text: 'name: a\nsteps: [\nprofile: "\n',
    findings: [
      'f.yaml:3:1: expected valid YAML, found: Flow sequence in block collection must be sufficiently indented and end with a ]; correct the file',
    ],
  },
  {
    name: 'two documents',
    text: 'name: a\n---\nname: b\n',
    findings: ['f.yaml:2:1: expected valid YAML, found: a second document after ---; correct the file'],
  },
  {
    name: 'a directive',
    text: '%FOO\n---\nname: a\n',
    findings: ['f.yaml:1:1: expected valid YAML, found: Unknown directive %FOO; correct the file'],
  },
  {
    name: 'a key that is a list',
    text: 'name: a\n[x]: 1\n',
    findings: ['f.yaml:2:1: expected valid YAML, found: a key that is not a text; correct the file'],
  },
  {
    name: 'depth that would exhaust the stack',
    text: '['.repeat(900_000),
    findings: ['f.yaml:1:51: expected valid YAML, found: more than 50 levels; correct the file'],
  },
  {
    name: 'more parts than any flow has',
    text: `[${','.repeat(500_000)}]`,
    findings: ['f.yaml:1:400001: expected valid YAML, found: more than 400000 parts; correct the file'],
  },
  {
    name: 'a key twice',
    text: `${step()}\nname: b`,
    findings: ['f.yaml:5:1: expected valid YAML, found: the key name a second time; correct the file'],
  },
  {
    name: 'names that every object has from birth',
    text: `__proto__: {x: 1}\nconstructor: x\n${step('toString: 1')}`,
    findings: [
      `__proto__: expected one of ${FLOW_KEYS}, found "__proto__" (f.yaml:1); remove it`,
      `constructor: expected one of ${FLOW_KEYS}, found "constructor" (f.yaml:2); remove it`,
      `steps[0].toString: expected one of ${STEP_KEYS}, found "toString" (f.yaml:7); remove it`,
    ],
  },
  ...[
    { line: 'agent: !!js/function "function () {}"', tag: 'tag:yaml.org,2002:js/function', column: 26 },
    { line: 'model: !secret x', tag: '!secret', column: 20 },
    { line: 'inputs: [!!binary aGk=]', tag: 'tag:yaml.org,2002:binary', column: 23 },
    { line: 'budgets: !!set {}', tag: 'tag:yaml.org,2002:set', column: 20 },
    { line: 'timeoutSeconds: !!timestamp 2001-01-01', tag: 'tag:yaml.org,2002:timestamp', column: 33 },
    { line: 'agent: !!str fixer', tag: 'tag:yaml.org,2002:str', column: 18 },
  ].map(({ line, tag, column }) => ({
    name: `the tag ${tag}`,
    text: step(line),
    findings: [`f.yaml:5:${column}: expected valid YAML, found: the tag ${tag}; correct the file`],
  })),
  {
    name: 'aliases',
    text: `${step('inputs: &own [*own]', 'outputs: *own')}`,
    findings: [
      'f.yaml:5:19: expected valid YAML, found: the alias *own, whose value must be written out; correct the file',
    ],
  },
  {
    name: 'the merging of keys',
    text: step('budgets: {<<: {preset: lean}}'),
    findings: [`steps[0].budgets."<<": expected one of ${BUDGET_KEYS}, found "<<" (f.yaml:5); remove it`],
  },
])('refuses $name', ({ text, findings }) => {
  expect(found(text)).toEqual(findings);
});

it.each([
  {
    name: 'tabs, escapes, lines',
    text: '{\n\t"name": "\\u0061",\n\t"$schema": "x",\n\t"steps": [\n\t\t{ "id": "x", "prompt": "a\\tb" }\n\t]\n}',
    findings: [],
  },
  {
    name: 'a wrong key with its line',
    text: '{\n\t"name"\n: "a",\n\t"steps": [{"id": "x",\n\t"prompt": "y",\n\t"agend": "z"}]\n}',
    findings: [`steps[0].agend: expected one of ${STEP_KEYS}, found "agend" (f.json:6); did you mean agent?`],
  },
  {
    name: 'a comma too many',
    text: '{"name": "a",\n}',
    findings: [
      'f.json:2:1: expected valid JSON, found: Expected double-quoted property name in JSON at position 14; correct the file',
    ],
  },
  {
    name: 'YAML in a file of JSON',
    text: 'name: a',
    findings: [
      'f.json:1:2: expected valid JSON, found: Unexpected token \'a\', "name: a" is not valid JSON; correct the file',
    ],
  },
])('reads JSON: $name', ({ text, findings }) => {
  // What Node says of a position differs between its versions.
  const plain = (message: string) => message.replace(/ \(line \d+ column \d+\)/, '');
  expect(found(text, 'f.json').map(plain)).toEqual(findings);
});

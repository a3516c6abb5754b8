import { expect, it } from 'vitest';
import { ANSWER_JSON_SCHEMA, readAnswer } from '../../../src/flow/curator/curator-answer.ts';

it.each([
  { name: 'both lists', text: '{"files":["a.ts"],"steps":["x","y"]}', answer: { files: ['a.ts'], steps: ['x', 'y'] } },
  { name: 'empty lists', text: ' {"steps":[],"files":[]}\n', answer: { files: [], steps: [] } },
])('reads $name', ({ text, answer }) => {
  expect(readAnswer(text)).toEqual({ answer });
});

const JSON_FAULT = 'expected JSON, found';
const LISTS_FAULT = 'expected lists of files and steps, found';

it.each([
  { name: 'nothing', text: '', fault: `${JSON_FAULT} nothing` },
  { name: 'prose', text: 'I would look\nat a.ts.', fault: `${JSON_FAULT} \`I would look at a.ts.\`` },
  { name: 'half of it', text: '{"files":["a.ts"],"st', fault: `${JSON_FAULT} \`{"files":["a.ts"],"st\`` },
  { name: 'JSON in a fence', text: '```json\n{}\n```', fault: `${JSON_FAULT} \`'''json {} '''\`` },
  { name: 'null', text: 'null', fault: `${LISTS_FAULT} \`null\`` },
  { name: 'a list', text: '["a.ts"]', fault: `${LISTS_FAULT} \`["a.ts"]\`` },
  { name: 'one list alone', text: '{"files":[]}', fault: `${LISTS_FAULT} \`{"files":[]}\`` },
  { name: 'a text for a list', text: '{"files":"a","steps":[]}', fault: `${LISTS_FAULT} \`{"files":"a","steps":[]}\`` },
  { name: 'a number in it', text: '{"files":[1],"steps":[]}', fault: `${LISTS_FAULT} \`{"files":[1],"steps":[]}\`` },
  {
    name: 'another key',
    text: '{"files":[],"steps":[],"run":"x"}',
    fault: `${LISTS_FAULT} \`{"files":[],"steps":[],"run":"x"}\``,
  },
])('refuses $name', ({ text, fault }) => {
  expect(readAnswer(text)).toEqual({ fault });
});

it('shows little of a long answer', () => {
  expect(readAnswer('word '.repeat(10_000))).toEqual({ fault: expect.stringMatching(/^.{130,150}$/) });
});

it('asks claude for the shape that is read', () => {
  const { properties, required, additionalProperties } = JSON.parse(ANSWER_JSON_SCHEMA);
  expect(Object.keys(properties)).toEqual(required);
  expect(additionalProperties).toBe(false);
  expect(readAnswer(JSON.stringify(Object.fromEntries(required.map((key: string) => [key, ['a']]))))).toEqual({
    answer: { files: ['a'], steps: ['a'] },
  });
});

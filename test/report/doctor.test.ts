import { expect, it } from 'vitest';
import { remarksText } from '../../src/report/doctor.ts';
import { PLAIN } from '../../src/report/style.ts';

const REMARK = {
  status: 'warning',
  subject: 'ANTHROPIC_BASE_URL in the environment',
  text: 'a server other than the API answers: where it reports no usage, the context is estimated from characters',
  todo: 'set window where it is not known, and see with ctxb replay --explain what the figures are made of',
} as const;

it.each([
  {
    name: 'a terminal: words stay whole, and below each other',
    columns: 80,
    lines: [
      '  ! ANTHROPIC_BASE_URL in the environment: a server other than the API answers:',
      '    where it reports no usage, the context is estimated from characters',
      '      set window where it is not known, and see with ctxb replay --explain what',
      '      the figures are made of',
    ],
  },
  {
    name: 'no terminal: a sentence is a line',
    columns: undefined,
    lines: [`  ! ${REMARK.subject}: ${REMARK.text}`, `      ${REMARK.todo}`],
  },
])('on $name', ({ columns, lines }) => {
  expect(remarksText('Surroundings', [REMARK], { style: PLAIN, columns })).toBe(
    ['Surroundings', ...lines, ''].join('\n'),
  );
});

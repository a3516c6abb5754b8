import { expect } from 'vitest';
import { checkFlow } from '../../src/flow/file/read-flow.ts';

/** A flow whose only step has these lines; they begin in line 5. */
export const step = (...lines: string[]) =>
  ['name: a', 'steps:', '  - id: x', '    objective: y', ...lines.map((line) => `    ${line}`)].join('\n');

/** A flow of steps that are written as keys with values; the first one is in line 3. */
export const flow = (...steps: string[]) =>
  ['name: a', 'steps:', ...steps.map((rest) => `  - {objective: y, ${rest}}`)].join('\n');

/** The messages of all findings about a text; there is a flow only where there are none. */
export const found = (text: string, path = 'f.yaml') => {
  const { flow: read, findings } = checkFlow(path, text);
  expect(read === undefined).toBe(findings.length > 0);
  for (const { key, message } of findings) expect(message.startsWith(key)).toBe(true);
  return findings.map(({ message }) => message);
};

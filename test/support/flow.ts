import { CtxbError } from '../../src/errors.ts';
import { checkFlow } from '../../src/flow/file/read-flow.ts';
import type { Flow } from '../../src/flow/flow.ts';

/** A flow whose only step has these lines; they begin in line 5. */
export const step = (...lines: string[]) =>
  ['name: a', 'steps:', '  - id: x', '    objective: y', ...lines.map((line) => `    ${line}`)].join('\n');

/** A flow of steps that are written as keys with values; the first one is in line 3. */
export const flow = (...steps: string[]) =>
  ['name: a', 'steps:', ...steps.map((rest) => `  - {objective: y, ${rest}}`)].join('\n');

interface Read {
  readonly flow: Flow | undefined;
  readonly findings: readonly string[];
}

/** A flow, or the findings that its error lists. */
export function readOf(read: () => Flow): Read {
  try {
    return { flow: read(), findings: [] };
  } catch (error) {
    if (!(error instanceof CtxbError)) throw error;
    const [heading = '', ...findings] = error.message.split('\n  ');
    return { flow: undefined, findings: findings.length === 0 ? [heading] : findings };
  }
}

/** All findings about a text. */
export const found = (text: string, path = 'f.yaml') => readOf(() => checkFlow(path, text)).findings;

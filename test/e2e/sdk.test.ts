import { expect, it } from 'vitest';
import { CALLBACKS } from '../sdk/callbacks.ts';
import { CONTROLS } from '../sdk/controls.ts';
import { ODD } from '../sdk/odd-programs.ts';
import { STREAMING, TALKS } from '../sdk/talks.ts';
import { type Program, runTrial, type Way } from '../sdk/trial.ts';
import { ALONE, AS_ITS_PROCESS, THROUGH_SHIM } from '../sdk/ways.ts';
import { testClaude } from '../support/claude.ts';
import { inSoak, sized } from '../support/size.ts';

async function expectSame(program: Program, way: Way): Promise<void> {
  const env = { CTXB_CLAUDE: await testClaude(), ...program.ctxb };
  const [alone, withCtxb] = await Promise.all([runTrial(program, ALONE), runTrial(program, way, env)]);
  expect(alone.message?.length).toBeGreaterThan(0);
  expect(withCtxb).toEqual(alone);
}

/** One of each kind every day, all of them in a soak. */
const PROGRAMS = sized(
  [STREAMING, ...CALLBACKS.slice(0, 1), ...CONTROLS.slice(0, 1)],
  [...TALKS, ...CALLBACKS, ...CONTROLS, ...ODD],
);

it.each(PROGRAMS)('$name: the same messages through the shim as without it', (program) =>
  expectSame(program, THROUGH_SHIM),
);

inSoak('a program that starts ctxb run itself sees the same messages', () => expectSame(STREAMING, AS_ITS_PROCESS));

import { expect, it } from 'vitest';
import { step } from '../../../../src/core/governor/step.ts';
import { decodeObject } from '../../../../src/core/protocol/decode.ts';
import {
  answerTo,
  boundaryLine,
  callLine,
  type Driver,
  drive,
  exitEvent,
  hookLine,
  initLine,
  resultLine,
  runWith,
  toolResultLine,
} from '../../../support/governor.ts';

/** A claude that runs the mod, in a turn that has called a tool. */
function working(): Driver {
  const driver = drive(runWith({ exact: true, callerSpeaksProtocol: true }));
  driver.begin();
  driver.prompt('Look.');
  driver.claude(initLine({ claude_code_version: '2.1.330' }), callLine(20_000), callLine(50_000), resultLine());
  driver.tell({ kind: 'exact-folder', path: '/tmp/mod' });
  driver.claude(answerTo(driver, 'load-mod'));
  driver.tell({ kind: 'exact-proved' });
  driver.prompt('Do it.');
  driver.claude(callLine(52_000));
  return driver;
}

const planned = (driver: Driver) =>
  driver.actions.flatMap((action) => (action.kind === 'plan-exact' ? [action.midTurn] : [])).at(-1);

it('a prompt within a turn is in the plan after a call has sent it', () => {
  const driver = working();
  driver.prompt('Not that.', 'And hurry.');
  driver.claude(toolResultLine('done'));
  expect(planned(driver)).toEqual([]);
  driver.claude(callLine(54_000));
  expect(planned(driver)).toEqual([
    { text: 'Not that.', after: 'toolu_1' },
    { text: 'And hurry.', after: 'toolu_1' },
  ]);
});

it('after a summary the plan has the text that the hook gave back, which the mod does not see', () => {
  const driver = working();
  driver.prompt('Not that.');
  driver.claude(toolResultLine('done'), callLine(54_000), boundaryLine('auto', 54_000), callLine(20_000));
  const text = expect.stringMatching(/^The context was compacted .*, word for word:\n\nDo it\.\n\nNot that\.$/s);
  expect(driver.state.relief.exact).toMatchObject({ midTurn: [{ text, after: '' }], prompts: [text] });
});

it('after a summary between two turns no prompt is repeated', () => {
  const driver = working();
  driver.claude(resultLine(), boundaryLine('manual', 54_000), callLine(20_000));
  expect(driver.state.relief.exact.midTurn).toEqual([]);
});

it('the report of a task within a turn is in the plan too, one that begins a turn is not', () => {
  const driver = working();
  const prompt = '<task-notification>done</task-notification>';
  const hook = hookLine('UserPromptSubmit', { prompt });
  driver.claude(toolResultLine('done'), hook, callLine(54_000));
  expect(planned(driver)).toEqual([{ text: prompt, after: 'toolu_1' }]);
  driver.claude(resultLine(), hook);
  expect(driver.state.relief.exact.midTurn).toHaveLength(1);
});

it.each([
  { name: 'delivered', delivered: ['prompt-3'], midTurn: ['Not that.'] },
  { name: 'not delivered, so it is sent again', delivered: [], midTurn: [] },
])('another process continues the session if it was $name', ({ delivered, midTurn }) => {
  const driver = working();
  driver.prompt('Not that.');
  driver.claude(toolResultLine('done'), callLine(54_000));
  driver.tell(exitEvent({ delivered }));
  driver.begin();
  expect(driver.state.relief.exact.midTurn.map(({ text }) => text)).toEqual(midTurn);
});

it('the plan contains the prompts of the caller', () => {
  const driver = working();
  driver.prompt('<system-reminder>Not that.</system-reminder>', '/model opus');
  driver.claude(toolResultLine('done'), callLine(54_000));
  const said = ['Look.', 'Do it.', '<system-reminder>Not that.</system-reminder>'];
  expect(driver.state.relief.exact.prompts).toEqual(said);
  expect(driver.actions.findLast(({ kind }) => kind === 'plan-exact')).toMatchObject({ prompts: said });
});

it('a long prompt takes at most half of what may be given back beside a summary', () => {
  const driver = working();
  driver.claude(resultLine());
  driver.prompt('Read this. '.repeat(9_000));
  driver.claude(callLine(90_000), toolResultLine('done'), callLine(168_000));
  const { relief } = driver.state;
  // No savings pay for more than the least.
  const poor = { ...relief, baseline: { ...relief.baseline, microUsd: { baseline: 0, real: 2_000_000 } } };
  const event = decodeObject(hookLine('SessionStart', { source: 'compact' }));
  const { actions } = step({ ...driver.state, relief: poor }, { t: 0, from: 'claude', event });
  const answer = actions.at(-1);
  if (answer?.kind !== 'answer-hook' || answer.room === undefined) throw new Error('no limit');
  expect(answer.context).toMatch(/Read this\.\n\[…\]\n/);
  expect(answer.context?.length).toBeLessThanOrEqual(answer.room / 2);
});

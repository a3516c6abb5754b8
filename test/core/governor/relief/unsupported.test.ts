import { describe, expect, it } from 'vitest';
import { nameOf } from '../../../../src/core/governor/decisions.ts';
import {
  callLine,
  type Driver,
  decisions,
  drive,
  initLine,
  kinds,
  policyWith,
  resultLine,
  runWith,
  said,
} from '../../../support/governor.ts';

const OLDER = initLine({ claude_code_version: '2.1.300' });
const FULL = 165_000;

/** One turn of an older claude that fills the window. */
function worked(init = OLDER, run = runWith({ exact: true })): Driver {
  const driver = drive(run);
  driver.begin();
  driver.prompt('Do the thing.');
  driver.claude(init, callLine(20_000), callLine(FULL), resultLine());
  return driver;
}

const unsupported = (driver: Driver) => decisions(driver.actions).filter((one) => nameOf(one) === 'unavailable:relief');

describe('a claude older than the oldest supported', () => {
  it('is named once, even after a restart', () => {
    const driver = worked();
    driver.prompt('Next.');
    driver.claude(OLDER, callLine(FULL), resultLine());
    expect(unsupported(driver)).toMatchObject([{ reason: 'Claude Code 2.1.300 is not supported' }]);
  });

  it('is measured, and its context is not relieved', () => {
    const driver = worked();
    expect(driver.state.gauge).toMatchObject({ used: FULL, basis: 'measured' });
    expect(said(driver.prompt('Next.'))).toEqual(['Next.']);
    const all = kinds(driver.actions);
    for (const kind of ['arm-exact', 'compact', 'handoff', 'mid-turn:trigger']) expect(all).not.toContain(kind);
  });

  it('still stops at a limit of the user', () => {
    const driver = worked(OLDER, runWith({ policy: policyWith({ cost: { limitUsd: 0.000001 } }) }));
    expect(kinds(driver.actions)).toContain('limit:cost');
    expect(said(driver.prompt('Next.'))).toEqual([]);
  });
});

it.each(['2.1.301', '2.1.332', undefined])('%s is not named', (version) => {
  expect(unsupported(worked(initLine({ claude_code_version: version })))).toEqual([]);
});

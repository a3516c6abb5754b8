import { expect, it } from 'vitest';
import { NEWEST_CLAUDE, OLDEST_CLAUDE } from '../../src/claude/supported-versions.ts';
import { OLDEST_SUPPORTED } from '../../src/core/governor/relief/unsupported.ts';
import { judgeVersion } from '../../src/doctor/diagnose.ts';

it('package.json names the oldest version that the governor relieves', () => {
  expect(OLDEST_CLAUDE).toBe(OLDEST_SUPPORTED);
});

it.each([
  { version: OLDEST_CLAUDE, status: 'good', says: 'which ctxb was measured with' },
  { version: NEWEST_CLAUDE, status: 'good', says: 'which ctxb was measured with' },
  {
    version: '3.0.1',
    status: 'warning',
    says: `not one of the versions that ctxb was measured with (${OLDEST_CLAUDE}, ${NEWEST_CLAUDE})`,
  },
  { version: '2.1.300', status: 'warning', says: 'is not supported: ctxb only measures it' },
  { version: '1.0.128', status: 'warning', says: 'is not supported: ctxb only measures it' },
  { version: undefined, status: 'warning', says: 'does not report its version' },
])('$version: $status', ({ version, status, says }) => {
  const remark = judgeVersion(version);
  expect(remark).toMatchObject({ status, subject: 'version' });
  expect(remark.text).toContain(says);
});

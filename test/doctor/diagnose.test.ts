import { expect, it } from 'vitest';
import { NEWEST_CLAUDE, OLDEST_CLAUDE } from '../../src/claude/supported-versions.ts';
import { judgeVersion } from '../../src/doctor/diagnose.ts';

it.each([
  { version: OLDEST_CLAUDE, status: 'good', says: 'which ctxb was measured with' },
  { version: NEWEST_CLAUDE, status: 'good', says: 'which ctxb was measured with' },
  {
    version: '3.0.1',
    status: 'good',
    says: `not one of the versions that ctxb was measured with (${OLDEST_CLAUDE}, ${NEWEST_CLAUDE})`,
  },
  { version: '1.0.128', status: 'warning', says: 'does not move its trigger' },
  { version: undefined, status: 'warning', says: 'does not tell its version' },
])('$version: $status', ({ version, status, says }) => {
  const remark = judgeVersion(version);
  expect(remark).toMatchObject({ status, subject: 'version' });
  expect(remark.text).toContain(says);
});

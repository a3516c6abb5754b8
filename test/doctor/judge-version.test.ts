import { expect, it } from 'vitest';
import { judgeVersion } from '../../src/doctor/judge-version.ts';

it.each([
  { version: '2.1.197', status: 'good', says: 'which ctxb was measured with' },
  { version: '3.0.1', status: 'good', says: 'none of those that ctxb was measured with (1.0.128, 2.1.197, 2.1.329)' },
  { version: '1.0.128', status: 'warning', says: 'does not move its trigger' },
  { version: undefined, status: 'warning', says: 'does not tell its version' },
])('$version: $status', ({ version, status, says }) => {
  const remark = judgeVersion(version);
  expect(remark).toMatchObject({ status, subject: 'version' });
  expect(remark.text).toContain(says);
});

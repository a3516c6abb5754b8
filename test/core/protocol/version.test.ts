import { expect, it } from 'vitest';
import { reportsEachTask } from '../../../src/core/protocol/version.ts';

it.each([
  { version: '1.0.128', reports: false },
  { version: '2.1.197', reports: false },
  { version: '2.1.198', reports: true },
  { version: '2.1.329', reports: true },
  { version: '2.2.0', reports: true },
  { version: '3.0.0', reports: true },
  { version: undefined, reports: false },
  { version: 'nonsense', reports: false },
])('$version', ({ version, reports }) => {
  expect(reportsEachTask(version)).toBe(reports);
});

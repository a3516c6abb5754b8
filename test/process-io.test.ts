import { afterEach, expect, it } from 'vitest';
import { processIo } from '../src/process-io.ts';

const { columns } = process.stdout;
afterEach(() => void Object.assign(process.stdout, { columns }));

it('does not know the width of a terminal without a size', () => {
  Object.assign(process.stdout, { columns: 0 });
  expect(processIo.stdout.columns).toBeUndefined();
  Object.assign(process.stdout, { columns: 90 });
  expect(processIo.stdout.columns).toBe(90);
});

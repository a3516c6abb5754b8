import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { World } from './claude.ts';

/** Waits until the inbox of the world's run has `count` requests. */
export async function waitForAsks({ scratch }: World, count: number): Promise<void> {
  const folder = join(scratch.cwd, '.context/inbox');
  const texts = () => readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const asks = () => texts().join('').split('"kind":"ask"').length - 1;
  await expect.poll(asks, { timeout: 30_000 }).toBe(count);
}

import { expect, it } from 'vitest';
import { comparedCommand } from '../../../../src/core/memory/shell/command-words.ts';

it.each(['"', 'cd a && ', 'A=b ', ' > a', '| tail ', 'git commit '])('stays fast for 100,000 times %j', (piece) => {
  expect(comparedCommand(piece.repeat(100_000)).text.length).toBeLessThanOrEqual(2_000);
});

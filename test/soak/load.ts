import { playLongSession } from '../support/fuzz/long-session.ts';

// Usage: `load.mjs [TURNS [LINES_PER_TURN]]`: one session in one process, and what it holds on to on the way.
const [turns = 2_000, linesPerTurn = 500] = process.argv.slice(2).map(Number);
console.log(`A session of ${turns} turns, ${(turns * linesPerTurn).toLocaleString('en-US')} lines`);
const begun = performance.now();
const seen = await playLongSession({ turns, linesPerTurn, looks: 10 });
for (const [index, { heap, resources, files, listeners }] of seen.entries()) {
  const turn = ((index + 1) * turns) / seen.length;
  console.log(
    `  turn ${turn}: heap ${(heap / 1e6).toFixed(1)} MB, ${files} files, ${listeners} listeners, ${resources} resources`,
  );
}
console.log(`  ${Math.round((performance.now() - begun) / 1000)} s`);
const [first, last] = [seen[0], seen.at(-1)];
const grown =
  first?.files !== last?.files || first?.listeners !== last?.listeners || first?.resources !== last?.resources;
process.exitCode = grown ? 1 : 0;

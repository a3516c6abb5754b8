import { createPlace } from '../cli/fakes.ts';
import {
  anyMoment,
  atNextEntry,
  createRandom,
  createVictim,
  duringRepair,
  type KillPlan,
  type Victim,
} from '../support/kill.ts';
import { faultsAfterEnd, faultsAfterKill, leftovers, type Torn, tornBy } from '../support/notes-check.ts';

const KILLS = 300;
/** A session grows with every run; so many kills later a new one begins. */
const KILLS_PER_SESSION = 20;

/** What was met on the way. */
interface Tally {
  kills: number;
  duringRepair: number;
  readonly torn: Record<keyof Torn, number>;
  readonly faults: string[];
  readonly leftovers: Set<string>;
}

const seed = Number(process.argv[2] ?? Date.now() % 1_000_000);
const tally: Tally = {
  kills: 0,
  duringRepair: 0,
  torn: { log: 0, detail: 0, index: 0 },
  faults: [],
  leftovers: new Set(),
};
console.log(`Kills ctxb ${KILLS} times while it writes notes, seed ${seed}`);
// One after the other on each of two processors.
await Promise.all([soak(createRandom(seed), KILLS / 2), soak(createRandom(seed + 1), KILLS / 2)]);
print(tally);
process.exitCode = tally.faults.length === 0 ? 0 : 1;

async function soak(random: () => number, kills: number): Promise<void> {
  for (let left = kills; left > 0; left -= KILLS_PER_SESSION) {
    await soakSession(random, Math.min(left, KILLS_PER_SESSION));
  }
}

async function soakSession(random: () => number, kills: number): Promise<void> {
  await using place = await createPlace();
  const victim = createVictim(place, random);
  const { bytes } = await victim.run();
  for (let count = 0; count < kills; ) {
    const isRepair = random() < 0.3;
    const { killed } = await victim.run(isRepair ? duringRepair(random) : inTheRun(random, bytes));
    if (!killed) continue;
    count++;
    note(victim, isRepair);
    // Some are killed once more before anything is repaired.
    if (random() < 0.3 && count < kills) continue;
    await victim.run();
    tally.faults.push(...faultsAfterEnd(victim));
  }
  for (const name of leftovers(place.path('.context'))) tally.leftovers.add(name.replace(/[\w-]+\.ndjson$|\d+$/, '…'));
}

function inTheRun(random: () => number, bytes: number): KillPlan {
  return random() < 0.5 ? anyMoment(random, bytes) : atNextEntry(random, bytes);
}

function note(victim: Victim, isRepair: boolean): void {
  tally.kills++;
  if (isRepair) tally.duringRepair++;
  const torn = tornBy(victim);
  for (const part of ['log', 'detail', 'index'] as const) if (torn[part]) tally.torn[part]++;
  tally.faults.push(...faultsAfterKill(victim));
}

function print({ kills, duringRepair: repairs, torn, faults, leftovers: litter }: Tally): void {
  console.log(`  ${kills} kills, ${repairs} of them while an earlier run's notes were taken up`);
  console.log(`  ${torn.log} tore the log's last line, ${torn.detail} left a detail file behind the log,`);
  console.log(`  ${torn.index} hit the index or another file while it was replaced`);
  console.log(`  left behind by killed runs: ${[...litter].join(', ') || 'nothing'}`);
  console.log(`  ${faults.length} faults`);
  for (const fault of faults.slice(0, 20)) console.log(`    ${fault}`);
}

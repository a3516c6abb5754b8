import { spawnSync } from 'node:child_process';
import { basename } from 'node:path';
import type { ReplayReport } from '../../src/replay/sums.ts';
import { type ReferenceSession, readReference } from './reference.ts';

/** A program that sums up session logs; it is left out where it is not installed. */
const CCUSAGE = process.env.CTXB_BENCH_CCUSAGE ?? 'ccusage';

/** Costs that differ by more than this share are named. */
const NOTABLE = 0.01;

/** Prints how the figures of `ctxb replay` agree with the reference's, and with ccusage's costs. */
export function compareSessions(sessions: readonly ReplayReport['sessions'][number][], folder: string): void {
  const pairs = sessions.map((session) => ({ session, reference: readReference(session.file) }));
  const found = pairs.map(contextsOf);
  const sum = (figures: readonly number[]) => figures.reduce((total, figure) => total + figure, 0);
  const boundaries = pairs.map(({ session, reference }) => [
    session.compactions.filter(({ preTokens }, at) => preTokens === reference.boundaries[at]).length,
    reference.boundaries.length,
  ]);
  console.log(`contexts: ${sum(found.map(({ calls }) => calls))} calls, ${sum(found.map(({ wrong }) => wrong))} wrong`);
  for (const { other, session } of found)
    for (const id of other) console.log(`  only in the reference: ${id} of ${session}`);
  console.log(
    `boundaries: ${sum(boundaries.map(([same = 0]) => same))} of ${sum(boundaries.map(([, all = 0]) => all))}`,
  );
  for (const line of costLines(pairs, ccusageCosts(folder))) console.log(line);
}

interface Pair {
  readonly session: ReplayReport['sessions'][number];
  readonly reference: ReferenceSession;
}

function contextsOf({ session, reference }: Pair) {
  const ours = new Map((session.series ?? []).map(({ messageId, context }) => [messageId, context]));
  const shared = [...reference.contexts].filter(([id]) => ours.has(id));
  return {
    session: basename(session.file),
    calls: shared.length,
    wrong: shared.filter(([id, context]) => ours.get(id) !== context).length + (ours.size - shared.length),
    other: [...reference.contexts.keys()].filter((id) => !ours.has(id)),
  };
}

/** Forked and resumed sessions begin with a copy of the one before, under the same message ids. */
export function compareCopies({ calls, copiedCalls }: ReplayReport['totals'], files: readonly string[]): void {
  const ids = files.flatMap((file) => [...readReference(file).contexts.keys()]);
  const own = new Set(ids).size;
  console.log(`copies, with ${files.length} sessions: ctxb ${calls} calls and ${copiedCalls} copies of them,`);
  console.log(`  reference ${own} calls and ${ids.length - own} copies`);
}

/** By the name of the session's file; none where ccusage is not there. */
function ccusageCosts(folder: string): ReadonlyMap<string, number> | undefined {
  const env = { ...process.env, HOME: folder, CLAUDE_CONFIG_DIR: folder };
  const args = ['session', '--offline', '--json'];
  const { status, stdout } = spawnSync(CCUSAGE, args, { encoding: 'utf8', env, maxBuffer: 2 ** 28 });
  if (status !== 0) return undefined;
  const { sessions } = JSON.parse(stdout) as { sessions: readonly { sessionId: string; totalCost: number }[] };
  // A model that it has no price for costs nothing there.
  return new Map(sessions.flatMap(({ sessionId, totalCost }) => (totalCost > 0 ? [[sessionId, totalCost]] : [])));
}

interface CostRow {
  readonly name: string;
  readonly ours: number;
  readonly plain: number | undefined;
  readonly theirs: number | undefined;
  readonly cause: string;
}

function costLines(pairs: readonly Pair[], ccusage: ReadonlyMap<string, number> | undefined): string[] {
  const rows = pairs.map(({ session, reference }): CostRow => {
    const name = basename(session.file, '.jsonl');
    const theirs = ccusage?.get(name);
    return { name, ours: session.cost.usd ?? 0, plain: reference.usd, theirs, cause: causeOf(session, reference) };
  });
  const total = (cost: (row: CostRow) => number | undefined) =>
    `$${rows.reduce((sum, row) => sum + (cost(row) ?? 0), 0).toFixed(2)}`;
  const beside =
    ccusage === undefined ? 'ccusage is NOT INSTALLED and left out' : `ccusage ${total(({ theirs }) => theirs)}`;
  const apart = rows.filter(({ ours, plain, theirs }) => [plain, theirs].some((usd) => differs(ours, usd)));
  const causes = new Set(apart.map(({ cause }) => cause));
  return [
    `cost: ctxb ${total(({ ours }) => ours)}, reference ${total(({ plain }) => plain)}, ${beside}`,
    `  within 1 % of one another: ${rows.length - apart.length} of ${rows.length} sessions; the others by cause:`,
    ...[...causes].flatMap((cause) => [`  ${cause}:`, ...apart.filter((row) => row.cause === cause).map(costLine)]),
  ];
}

function costLine({ name, ours, plain, theirs }: CostRow): string {
  return `    ${name.slice(0, 12)} ${[ours, plain, theirs].map(shown).join(' ')}`;
}

function differs(ours: number, usd: number | undefined): boolean {
  return usd !== undefined && Math.abs(ours - usd) > NOTABLE * Math.max(ours, usd);
}

function shown(usd: number | undefined): string {
  return usd === undefined ? '-' : `$${usd.toFixed(2)}`;
}

/** What is known to make the three differ. */
function causeOf(
  { traffic, cost }: ReplayReport['sessions'][number],
  { placeholders, hourTokens, usd }: ReferenceSession,
): string {
  const causes = [
    ...(usd === undefined ? ['a model without a price in the reference'] : []),
    ...(placeholders > 0 ? ['the log has no true count of the output, which ctxb estimates'] : []),
    ...(hourTokens > 0 ? ['the cache is written for an hour, which ccusage 17 prices as for five minutes'] : []),
    ...(traffic.subagents.input > 0 ? ['subagents, which the reference leaves out'] : []),
    ...(cost.usd === null ? ['a model without a price in ctxb'] : []),
  ];
  return causes.length === 0 ? 'not explained' : causes.join('; ');
}

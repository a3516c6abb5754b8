// What one job of a workflow leaves for the next: when a usage limit resets, and what the runs have cost.
//
//   state.mjs ask FILE                    before anything is installed: is the limit still in force?
//   state.mjs note FILE SUMMARY CODE      behind the run: its outcome, from its figures and its exit code
//
// Outputs go to GITHUB_OUTPUT, a line for people to GITHUB_STEP_SUMMARY.

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const USAGE_LIMIT = 5;
const LIMIT = 3;

/** Costs that the median is of, at most. */
const KEPT = 20;

const [, , what, file = '', summaryFile = '', code = ''] = process.argv;
const state = { until: null, costs: [], ...read(file) };

if (what === 'ask') ask();
else process.exitCode = note(read(summaryFile), Number(code));

function ask() {
  if (!(Date.parse(state.until ?? '') > Date.now())) return;
  put({ outcome: 'skipped', 'skipped-until': state.until });
  say(`skipped: the usage limit resets ${state.until}`);
}

/** @returns the exit code of the step */
function note({ calls = 0, costUsd = null, resetsAt = null, reason }, exitCode) {
  const outcome = outcomeOf(exitCode, calls);
  const until = exitCode === USAGE_LIMIT ? resetsAt : null;
  put({ outcome, 'skipped-until': until ?? '', 'cost-usd': costUsd ?? '' });
  if (outcome === 'skipped') say(`skipped: at a usage limit before any work${until === null ? '' : `; it resets ${until}`}`);
  // Without figures nothing was started, and ctxb has said why.
  else if (reason !== undefined) say(`${outcome}${outcome === 'done' ? '' : ` (${reason})`}: ${costText(costUsd)}`);
  const costs = outcome === 'done' && costUsd !== null ? [...state.costs, costUsd].slice(-KEPT) : state.costs;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ until, costs })}\n`);
  return outcome === 'skipped' ? 0 : exitCode;
}

function outcomeOf(exitCode, calls) {
  if (exitCode === USAGE_LIMIT) return calls === 0 ? 'skipped' : 'limit';
  if (exitCode === LIMIT) return 'limit';
  return exitCode === 0 ? 'done' : 'failed';
}

function costText(usd) {
  const { costs } = state;
  const own = usd === null ? 'cost unknown' : `$${usd.toFixed(4)}`;
  if (costs.length === 0) return own;
  const sorted = costs.toSorted((a, b) => a - b);
  const middle = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1);
  const median = middle.reduce((sum, cost) => sum + cost, 0) / middle.length;
  return `${own}; median of ${costs.length} earlier: $${median.toFixed(4)}`;
}

function put(outputs) {
  const lines = Object.entries(outputs).map(([name, value]) => `${name}=${value}\n`);
  appendFileSync(process.env.GITHUB_OUTPUT, lines.join(''));
}

function say(text) {
  console.log(`ctxb: ${text}`);
  appendFileSync(process.env.GITHUB_STEP_SUMMARY, `Claude Code: ${text}\n\n`);
}

/** Nothing where it is not there, or was cut off. */
function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}

// Loaded before ctxb (`node --import`): SIGUSR2 moves its clock to the offset that the file MOVED_CLOCK holds, in
// milliseconds. Timers that fall due on the way go off in their order, each at its time. When that is done, the file
// with `.seen` behind its name holds the offset.
import { readFileSync, writeFileSync } from 'node:fs';

const file = process.env.MOVED_CLOCK ?? '';
const { now } = Date;
const { setTimeout: set, clearTimeout: clear } = globalThis;
const timers = new Map();
let offset = Number(readFileSync(file, 'utf8'));

Date.now = () => now() + offset;

globalThis.setTimeout = Object.assign((callback, ms = 0, ...given) => {
  const run = () => {
    timers.delete(timer);
    callback(...given);
  };
  const timer = set(run, ms);
  timers.set(timer, { due: Date.now() + ms, run });
  return timer;
}, set);

globalThis.clearTimeout = (timer) => {
  timers.delete(timer);
  clear(timer);
};

process.on('SIGUSR2', () => {
  const asked = readFileSync(file, 'utf8');
  const target = now() + Number(asked);
  for (;;) {
    const [timer, next] = [...timers].sort(([, a], [, b]) => a.due - b.due)[0] ?? [];
    if (next === undefined || next.due > target) break;
    offset = Math.max(offset, next.due - now());
    clear(timer);
    next.run();
  }
  offset = target - now();
  writeFileSync(`${file}.seen`, asked);
});

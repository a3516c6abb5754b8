import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createFactsProgress, createProgress } from '../../../src/report/terminal/progress.ts';

it.each([
  { title: 'a terminal', isTTY: true, total: 3, says: ['0 of 3 facts checked', '2 of 3 facts checked', ''] },
  { title: 'no terminal', isTTY: false, total: 3, says: [''] },
  { title: 'nothing to look at', isTTY: true, total: 0, says: [''] },
])('on $title', ({ isTTY, total, says }) => {
  const stderr = Object.assign(new PassThrough(), { isTTY });
  const progress = createFactsProgress(stderr, total);
  progress.add(2);
  progress.clear();
  const drawn = String(stderr.read() ?? '').split('\r\u001b[2K');
  expect(drawn.length > 1 ? drawn.slice(1) : drawn).toEqual(says);
});

const CLEAR = '\r\u001b[2K';

function watch({ isTTY = true, total, columns = 100 }: { isTTY?: boolean; total?: number; columns?: number } = {}) {
  const stderr = Object.assign(new PassThrough(), { isTTY, columns });
  let t = 5_000;
  const progress = createProgress({ stderr, total, now: () => t });
  return {
    progress,
    /** So many megabytes come, so many milliseconds later. */
    add(ms: number, megabytes: number) {
      t += ms;
      progress.add(megabytes * 1_000_000);
    },
    shown: () => String(stderr.read() ?? ''),
  };
}

describe('progress', () => {
  it('prints nothing for work shorter than half a second', () => {
    const { add, shown, progress } = watch({ total: 100e6 });
    add(250, 10);
    add(249, 89);
    progress.clear();
    expect(shown()).toBe('');
  });

  it('shows the bytes read, the rate, and the remaining time', () => {
    const { add, shown } = watch({ total: 400e6 });
    add(1_000, 100);
    expect(shown()).toBe(`${CLEAR}[#####...............] 25%, 100 of 400 MB, 100 MB/s, about 3 s left`);
    add(100, 1);
    expect(shown()).toBe('');
    add(900, 99);
    expect(shown()).toContain('[##########..........] 50%, 200 of 400 MB, 100 MB/s, about 2 s left');
  });

  it('shows the bytes and the rate for stdin', () => {
    const { add, shown } = watch();
    add(2_000, 100);
    expect(shown()).toBe(`${CLEAR}100 MB read, 50 MB/s`);
  });

  it('stops at 100% for a file that has grown', () => {
    const { add, shown } = watch({ total: 100e6 });
    add(2_000, 150);
    expect(shown()).toContain('[####################] 100%');
  });

  it('fits on one line', () => {
    const { add, shown } = watch({ total: 400e6, columns: 30 });
    add(1_000, 100);
    expect(shown()).toHaveLength(CLEAR.length + 29);
  });

  it('clears its line once', () => {
    const { add, shown, progress } = watch({ total: 400e6 });
    add(1_000, 100);
    shown();
    progress.clear();
    progress.clear();
    expect(shown()).toBe(CLEAR);
  });

  it('draws on terminals only', () => {
    const { add, shown } = watch({ isTTY: false, total: 400e6 });
    add(5_000, 100);
    expect(shown()).toBe('');
  });
});

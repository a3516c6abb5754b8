import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { bytesText, createProgress } from '../../../src/report/terminal/progress.ts';

it.each([
  { title: 'a terminal', isTTY: true, says: ['0 of 3 facts', '2 of 3 facts', ''] },
  { title: 'no terminal', isTTY: false, says: [''] },
])('draws at once if asked to, on $title', ({ isTTY, says }) => {
  const stderr = Object.assign(new PassThrough(), { isTTY });
  let t = 0;
  const progress = createProgress(
    stderr,
    (facts) => `${facts} of 3 facts`,
    0,
    () => t,
  );
  progress.add(0);
  t = 300;
  progress.add(2);
  progress.clear();
  const drawn = String(stderr.read() ?? '').split('\r\u001b[2K');
  expect(drawn.length > 1 ? drawn.slice(1) : drawn).toEqual(says);
});

const CLEAR = '\r\u001b[2K';

function watch({ isTTY = true, total, columns = 100 }: { isTTY?: boolean; total?: number; columns?: number } = {}) {
  const stderr = Object.assign(new PassThrough(), { isTTY, columns });
  let t = 5_000;
  const text = (read: number, ms: number) => bytesText(read, total, ms);
  const progress = createProgress(stderr, text, undefined, () => t);
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
    expect(shown()).toBe(`${CLEAR}25%, 100 of 400 MB, 100 MB/s, about 3 s left`);
    add(100, 1);
    expect(shown()).toBe('');
    add(900, 99);
    expect(shown()).toContain('50%, 200 of 400 MB, 100 MB/s, about 2 s left');
  });

  it('shows the bytes and the rate for stdin', () => {
    const { add, shown } = watch();
    add(2_000, 100);
    expect(shown()).toBe(`${CLEAR}100 MB read, 50 MB/s`);
  });

  it('stops at 100% for a file that has grown', () => {
    const { add, shown } = watch({ total: 100e6 });
    add(2_000, 150);
    expect(shown()).toContain('100%');
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

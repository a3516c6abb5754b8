import { Writable } from 'node:stream';
import { createFramer } from '../../stream/frame.ts';

/** Hands every line on without its end, however the bytes come. What `onLine` throws ends the stream. */
export function createLineSink(onLine: (line: string) => void): Writable {
  const framer = createFramer();
  const take = (line: Buffer) => onLine(line.toString('utf8').replace(/\r?\n$/, ''));
  return new Writable({
    write(chunk: Buffer, _, done) {
      attempt(() => framer.push(chunk).forEach(take), done);
    },
    final(done) {
      const rest = framer.flush();
      attempt(() => rest && take(rest), done);
    },
  });
}

function attempt(work: () => void, done: (error?: Error) => void): void {
  try {
    work();
    done();
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)));
  }
}

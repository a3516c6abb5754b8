/** Holds bytes that come out against those that went in, in whatever pieces either come. */
export interface ExpectedBytes {
  /** To be told before they can come out. */
  add(bytes: Buffer): void;
  /** @throws when they are others than were expected next */
  check(bytes: Buffer): void;
  /** @throws when some have not come out */
  end(): void;
}

export function createExpected(): ExpectedBytes {
  let waiting: Buffer[] = [];
  let offset = 0;
  let position = 0;

  function fail(found: Buffer, expected: Buffer): never {
    throw new Error(`byte ${position}: expected ${shown(expected)}, found ${shown(found)}`);
  }

  return {
    add(bytes) {
      if (bytes.length > 0) waiting.push(bytes);
    },
    check(bytes) {
      let at = 0;
      let next = 0;
      while (at < bytes.length) {
        const first = waiting[next]?.subarray(offset);
        if (first === undefined) fail(bytes.subarray(at), Buffer.alloc(0));
        const size = Math.min(first.length, bytes.length - at);
        if (bytes.compare(first, 0, size, at, at + size) !== 0) fail(bytes.subarray(at), first);
        at += size;
        position += size;
        offset = size === first.length ? 0 : offset + size;
        if (offset === 0) next++;
      }
      waiting = waiting.slice(next);
    },
    end() {
      const [first] = waiting;
      if (first !== undefined) fail(Buffer.alloc(0), first.subarray(offset));
    },
  };
}

function shown(bytes: Buffer): string {
  return JSON.stringify(bytes.subarray(0, 80).toString('latin1'));
}

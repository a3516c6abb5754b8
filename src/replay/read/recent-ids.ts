/** Ids that are remembered, at least: a session log repeats a row soon after it. */
const REMEMBERED = 4096;
/** A power of two, as all larger ones. */
const FEWEST_SLOTS = 256;

/** A UUID is four numbers of 32 bits: a text for each would keep V8 busy with looking for garbage. */
const WORDS = 4;
const WORD_DIGITS = 8;
const UUID_LENGTH = 36;
/** Of the first 32 places those of hyphens, as bits. */
const HYPHENS = (1 << 8) | (1 << 13) | (1 << 18) | (1 << 23);
const HYPHEN = 0x2d;

/** Tells ids that came before. */
export function createRecentIds() {
  // Two tables in turn: to take the oldest out of one means to search for it, ever longer.
  let newer = createTable(FEWEST_SLOTS);
  let older = newer;
  let [newerTexts, olderTexts] = [new Set<string>(), new Set<string>()];
  const key = new Int32Array(WORDS);
  let count = 0;

  function isKnown(id: string): boolean {
    if (!readUuid(id, key)) return newerTexts.has(id) || olderTexts.has(id) || !newerTexts.add(id);
    const slot = slotOf(newer, key, 0);
    if (isTaken(newer, slot) || isTaken(older, slotOf(older, key, 0))) return true;
    put(newer, slot, key, 0);
    return false;
  }

  return {
    /** Whether an id came before; if not, it has come now. */
    seen(id: string): boolean {
      if (isKnown(id)) return true;
      count++;
      if (count === REMEMBERED) {
        [newer, older] = [createTable(FEWEST_SLOTS), newer];
        [newerTexts, olderTexts] = [new Set(), newerTexts];
        count = 0;
      } else if (count * 2 * WORDS > newer.length) newer = larger(newer);
      return false;
    },
  };
}

function createTable(slots: number): Int32Array {
  return new Int32Array(slots * WORDS);
}

function larger(table: Int32Array): Int32Array {
  const next = createTable((table.length / WORDS) * 4);
  for (let slot = 0; slot < table.length; slot += WORDS) {
    if (isTaken(table, slot)) put(next, slotOf(next, table, slot), table, slot);
  }
  return next;
}

/** Where a UUID, which stands at a place, is in a table, or would be: half of its slots are free, so one is near. */
function slotOf(table: Int32Array, uuid: Int32Array, at: number): number {
  const [a, b, c, d] = [uuid[at] ?? 0, uuid[at + 1] ?? 0, uuid[at + 2] ?? 0, uuid[at + 3] ?? 0];
  let slot = (Math.imul(a ^ b ^ c ^ d, 0x9e3779b1) >>> 8) * WORDS;
  for (; ; slot += WORDS) {
    slot &= table.length - 1;
    if (table[slot] === a && table[slot + 1] === b && table[slot + 2] === c && table[slot + 3] === d) return slot;
    if (!isTaken(table, slot)) return slot;
  }
}

/** Takes a tenth of the time of `set`. */
function put(table: Int32Array, slot: number, uuid: Int32Array, at: number): void {
  for (let word = 0; word < WORDS; word++) table[slot + word] = uuid[at + word] ?? 0;
}

function isTaken(table: Int32Array, slot: number): boolean {
  return table[slot] !== 0 || table[slot + 1] !== 0 || table[slot + 2] !== 0 || table[slot + 3] !== 0;
}

/** Puts the numbers of an id into the key. @returns false: it is no UUID, or the one that is all zero, as free slots are */
function readUuid(id: string, key: Int32Array): boolean {
  if (id.length !== UUID_LENGTH) return false;
  let [digits, word] = [0, 0];
  for (let at = 0; at < UUID_LENGTH; at++) {
    const code = id.charCodeAt(at);
    if (((HYPHENS >>> at) & 1) === 1) {
      if (code !== HYPHEN) return false;
      continue;
    }
    const digit = DIGITS[code] ?? NO_DIGIT;
    if (digit === NO_DIGIT) return false;
    word = (word << 4) | digit;
    digits++;
    if (digits % WORD_DIGITS === 0) key[digits / WORD_DIGITS - 1] = word;
  }
  return isTaken(key, 0);
}

const NO_DIGIT = 255;

/** Of characters, in lower case: another spelling is another id. */
const DIGITS = Uint8Array.from({ length: 128 }, (_, code) => {
  const digit = '0123456789abcdef'.indexOf(String.fromCharCode(code));
  return digit < 0 ? NO_DIGIT : digit;
});

/** Strings up to this length count whole. Edits of one character in a longer text are still told apart by most. */
const WHOLE = 512;

/** Of a longer one: this much of both ends, and as many characters spread over what is between them. */
const END = 128;
const SAMPLES = 128;

/** Deeper values count as equal: no tool's input nests so deep, and a hostile one must not end the run. */
const MAX_DEPTH = 32;

/**
 * A short text that is equal for equal values, whatever the order of their keys. Not for security: it tells repeated
 * tool calls apart from others, and looks at long texts in samples.
 */
export function fingerprint(value: unknown): string {
  const hash = new Hash();
  addValue(hash, value, 0);
  return hash.text();
}

/** The same over the whole of a text: edits differ by single characters. */
export function exactFingerprint(text: string): string {
  const hash = new Hash();
  hash.addRange(text, 0, text.length, 1);
  hash.add(text.length);
  return hash.text();
}

/** Two 32-bit FNV-1a hashes with different starts. */
class Hash {
  #a = 0x811c9dc5;
  #b = 0x9e3779b9;

  add(code: number): void {
    this.#a = Math.imul(this.#a ^ code, 0x01000193);
    this.#b = Math.imul(this.#b ^ code, 0x85ebca6b);
  }

  addRange(text: string, from: number, to: number, step: number): void {
    let a = this.#a;
    let b = this.#b;
    for (let at = from; at < to; at += step) {
      const code = text.charCodeAt(at);
      a = Math.imul(a ^ code, 0x01000193);
      b = Math.imul(b ^ code, 0x85ebca6b);
    }
    this.#a = a;
    this.#b = b;
  }

  addText(text: string): void {
    const { length } = text;
    if (length <= WHOLE) {
      this.addRange(text, 0, length, 1);
    } else {
      this.addRange(text, 0, END, 1);
      this.addRange(text, END, length - END, Math.ceil((length - 2 * END) / SAMPLES));
      this.addRange(text, length - END, length, 1);
    }
    this.add(length);
  }

  text(): string {
    return (this.#a >>> 0).toString(36) + (this.#b >>> 0).toString(36);
  }
}

function addValue(hash: Hash, value: unknown, depth: number): void {
  if (typeof value === 'string') {
    hash.add(1);
    hash.addText(value);
  } else if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) {
    hash.add(2);
    hash.addText(typeof value === 'object' ? '' : String(value));
  } else if (Array.isArray(value)) {
    hash.add(3);
    for (const item of value) addValue(hash, item, depth + 1);
    hash.add(4);
  } else {
    hash.add(5);
    const fields = value as Readonly<Record<string, unknown>>;
    for (const key of Object.keys(fields).sort()) {
      hash.addText(key);
      addValue(hash, fields[key], depth + 1);
    }
    hash.add(6);
  }
}

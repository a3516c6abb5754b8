import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { masked, maskedJson } from '../../../src/store/masks/disk-text.ts';

const SRC = fileURLToPath(new URL('../../../src/', import.meta.url));
const TOKEN = `ghp_${'q7Zt2Lw9Xb4Rk1Vd8Ns3'.repeat(2)}`;

const sources = readdirSync(SRC, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => `${entry.parentPath}/${entry.name}`)
  .map((path) => ({ name: path.slice(SRC.length).replace(/^\//, ''), text: readFileSync(path, 'utf8') }));

function thatHave(pattern: RegExp): string[] {
  return sources.flatMap(({ name, text }) => (pattern.test(text) ? [name] : [])).sort();
}

it('only these files call functions that write, and those accept only a DiskText', () => {
  expect(thatHave(/\b(?:writeSync|writeFileSync|appendFileSync|createWriteStream|writeFile|appendFile)\b\(?/)).toEqual([
    // For the demonstration, in a folder of its own.
    'demo/live-run.ts',
    // The answer of a hook or a status line, on stdout.
    'process-io.ts',
    // What V8 has compiled of ctxb.
    'store/files/compile-cache.ts',
    'store/files/plain-file.ts',
  ]);
});

it('only these files write unmasked text', () => {
  expect(thatHave(/\bunmaskedText\(/).filter((name) => name !== 'store/masks/disk-text.ts')).toEqual([
    'run/run-files.ts',
    // A mark, hashes, and what was masked when it was written.
    'store/files/file-cache.ts',
    // A process and a time.
    'store/files/lock.ts',
    'store/files/user-file.ts',
    'store/files/write-file.ts',
    'store/folders/context-dir.ts',
    // What calls have cost, sealed.
    'store/ledgers/cost-ledger.ts',
    // What stands in a ledger, and was masked when it came there.
    // Code, and where it lies.
    'store/runs/mod-folder.ts',
    'store/runs/seal.ts',
    'store/runs/session-store.ts',
  ]);
});

describe('a text for a file', () => {
  it('keeps the number of lines', () => {
    expect(masked(`a\n${TOKEN}\nb`)).toBe('a\n[masked: GitHub token]\nb');
  });

  it('as JSON is masked in strings, in keys, and where only the key reveals the secret', () => {
    const value = { a: [TOKEN], [TOKEN]: { password: 'Summer2024!' }, n: 1, none: null };
    expect(JSON.parse(maskedJson(value))).toEqual({
      a: ['[masked: GitHub token]'],
      '[masked: GitHub token]': { password: '[masked: secret]' },
      n: 1,
      none: null,
    });
  });

  it('is masked string by string if masking it as a whole would break the JSON', () => {
    const value = { token: 123_456_789_012, line: TOKEN };
    expect(JSON.parse(maskedJson(value))).toEqual({ token: 123_456_789_012, line: '[masked: GitHub token]' });
  });
});

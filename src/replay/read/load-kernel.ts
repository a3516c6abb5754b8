import { existsSync, readFileSync } from 'node:fs';

/** What kernel/kernel.ts exports. */
export interface Kernel {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): void };
  /** Places in the memory: the answer, the table of cuts, the output, and the input, which comes last. */
  readonly ANSWER: Place;
  readonly CUTS: Place;
  readonly OUT: Place;
  readonly INPUT: Place;
  askFor(level: number, length: number, becomes: number): void;
  setMark(characters: bigint): void;
  readLine(start: number): void;
}

interface Place {
  readonly value: number;
}

/** The part of it that is used here; Node has it, and its types do not say so. */
interface WebAssemblyApi {
  validate(code: Uint8Array): boolean;
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

/** Where the build puts it, as seen from the bundles, and from this file. */
const PLACES = ['../reading.wasm', '../../../dist/reading.wasm'];

/** A module that needs nothing but SIMD: a function that drops a vector. */
const NEEDS_SIMD = Uint8Array.of(
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 9, 1, 7, 0, 65, 0, 253, 15, 26, 11],
);

/**
 * A new kernel with a memory of its own; undefined where this machine has no WebAssembly with SIMD, where its memory is
 * not to be had (V8 reserves 8 GB of addresses for it, which `ulimit -v` may forbid), and where a bundler has put the
 * library into a program of its own without the kernel's file.
 */
export function loadKernel(): Kernel | undefined {
  const { WebAssembly: api } = globalThis as unknown as { readonly WebAssembly?: WebAssemblyApi };
  const file = PLACES.map((place) => new URL(place, import.meta.url)).find((place) => existsSync(place));
  if (file === undefined || !api?.validate(NEEDS_SIMD)) return undefined;
  try {
    return new api.Instance(new api.Module(readFileSync(file))).exports as Kernel;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

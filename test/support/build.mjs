// Bundles the program into dist/: split files, so that a command loads only what it needs.
import { rmSync } from 'node:fs';
import { build } from 'esbuild';

rmSync('dist', { recursive: true, force: true });
await build({
  entryPoints: { ctxb: 'bin/ctxb.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  minify: true,
  // Stack traces in bug reports must name functions.
  keepNames: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  chunkNames: 'chunks/[name]-[hash]',
  // cosmiconfig names it for .ts config files, which are never loaded.
  external: ['typescript'],
  // Some dependencies are CommonJS and call require() for Node's own modules.
  banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
  logLevel: 'warning',
});

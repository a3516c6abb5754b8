// Bundles the program into dist/: split files, so that a command loads only what it needs.
import { rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

rmSync('dist', { recursive: true, force: true });
await build({
  entryPoints: { ctxb: 'bin/ctxb.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  chunkNames: 'chunks/[name]-[hash]',
  // cosmiconfig names it for .ts config files, which are never loaded.
  external: ['typescript'],
  // Some dependencies are CommonJS and call require() for Node's own modules.
  banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
  // write-file-atomic takes it as salt for the names of its temporary files.
  define: { __filename: '"ctxb"' },
  logLevel: 'warning',
});

// Editors find the schema of the configuration file beside the program.
const { outputFiles } = await build({
  entryPoints: ['src/config/json-schema.ts'],
  bundle: true,
  format: 'esm',
  platform: 'node',
  write: false,
});
const { jsonSchema } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
writeFileSync('dist/contextbudgetrc.schema.json', `${JSON.stringify(jsonSchema(), null, 2)}\n`);

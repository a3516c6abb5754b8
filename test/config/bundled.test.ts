import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

// The YAML parser is CommonJS, which behaves differently once it is bundled.
it('the bundled program can read YAML too', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ctxb-bundle-'));
  try {
    await build({
      entryPoints: ['src/config/parse-data.ts'],
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      external: ['typescript'],
      banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
    });
    const { parseData } = await import(pathToFileURL(join(folder, 'parse-data.mjs')).href);
    expect(await parseData('x.yaml', 'quiet: true\n')).toEqual({ quiet: true });
    await expect(parseData('x.yaml', 'a: [\n')).rejects.toMatchObject({ format: 'YAML', line: 2, column: 1 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

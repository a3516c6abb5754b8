// Bundles the program into dist/: one file for each command, so that a call loads few files and only what it needs.
import { copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import asc from 'assemblyscript/asc';
import { build } from 'esbuild';

const COMMON = {
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // cosmiconfig names it for .ts config files, which are never loaded.
  external: ['typescript'],
  // Some dependencies are CommonJS and call require() for Node's own modules.
  banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
  // write-file-atomic takes it as salt for the names of its temporary files.
  define: { __filename: '"ctxb"' },
  logLevel: 'warning',
};

/** The commands stay files of their own, named as in the source. */
const commandsApart = {
  name: 'commands-apart',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/commands\/[\w-]+\.ts$/ }, ({ path }) => ({
      path: path.replace('.ts', '.js'),
      external: true,
    })),
};

rmSync('dist', { recursive: true, force: true });
await build({
  ...COMMON,
  entryPoints: ['bin/ctxb.ts'],
  outdir: 'dist',
  chunkNames: 'parts/[name]-[hash]',
  plugins: [commandsApart],
});
for (const command of readdirSync('src/commands')) {
  const outdir = 'dist/commands';
  await build({ ...COMMON, entryPoints: [`src/commands/${command}`], outdir, chunkNames: '../parts/[name]-[hash]' });
}

// Recordings are read by a small kernel of WebAssembly.
const kernel = 'src/replay/read/kernel/kernel.ts';
const options = ['-O3', '--converge', '--runtime', 'stub', '--enable', 'simd', '--use', 'abort=', '--noAssert'];
const { error, stderr } = await asc.main([kernel, '--outFile', 'dist/reading.wasm', ...options]);
if (error) throw new Error(`${kernel}: ${stderr}`, { cause: error });

// The page of the studio is served as it is here.
const page = 'src/flow/studio/page';
await build({
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['chrome111', 'firefox115', 'safari16.4'],
  entryPoints: [`${page}/page.ts`, `${page}/style.css`],
  outdir: 'dist/studio',
  logLevel: 'warning',
});
copyFileSync(`${page}/index.html`, 'dist/studio/index.html');

// Editors find the schemas of the files that people write beside the program.
await writeSchema('src/config/json-schema.ts', 'jsonSchema', 'contextbudgetrc');
await writeSchema('src/flow/file/json-schema.ts', 'flowSchema', 'flow');

async function writeSchema(entryPoint, make, name) {
  const { outputFiles } = await build({ ...COMMON, splitting: false, entryPoints: [entryPoint], write: false });
  const text = outputFiles[0].text.replace(COMMON.banner.js, '');
  const schema = (await import(`data:text/javascript,${encodeURIComponent(text)}`))[make]();
  writeFileSync(`dist/${name}.schema.json`, `${JSON.stringify(schema, null, 2)}\n`);
}

// Bundles the program into dist/: one file for each command, so that a call loads few files and only what it needs.
import { createHash } from 'node:crypto';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import asc from 'assemblyscript/asc';
import { build } from 'esbuild';
import { licences } from './licences.mjs';

const COMMON = {
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // cosmiconfig names it for .ts config files, which are never loaded.
  external: ['typescript'],
  // Some dependencies are CommonJS and call require() for Node's own modules. By the name a shim knows a copy of itself.
  banner: { js: "/* ctxb */import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
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

/** Larger than anything else, used by several commands, and seldom: it is there once, for whoever asks for it. */
const senderApart = {
  name: 'sender-apart',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/sender\.ts$/ }, () => ({ path: '../telemetry/sender.js', external: true })),
};

rmSync('dist', { recursive: true, force: true });
// Each program apart: what they share would move to a folder from which the commands are not found.
for (const program of readdirSync('bin')) {
  await build({
    ...COMMON,
    entryPoints: [`bin/${program}`],
    outdir: 'dist',
    chunkNames: 'parts/[name]-[hash]',
    plugins: [commandsApart],
  });
}
for (const command of readdirSync('src/commands')) {
  const outdir = 'dist/commands';
  await build({
    ...COMMON,
    entryPoints: [`src/commands/${command}`],
    outdir,
    chunkNames: '../parts/[name]-[hash]',
    plugins: [senderApart],
  });
}
await build({ ...COMMON, splitting: false, entryPoints: ['src/telemetry/sender.ts'], outdir: 'dist/telemetry' });

// The library: index.js only names what the files beside it hold, so that a bundler takes no more than what is used.
const named = readFileSync('src/index.ts', 'utf8').matchAll(/^export \{[^}]*\} from '\.\/([^']+)\.ts'/gm);
await build({
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: COMMON.target,
  packages: 'external',
  entryPoints: {
    index: 'src/index.ts',
    ...Object.fromEntries([...named].map(([, path]) => [`library/${path.split('/').at(-1)}`, `src/${path}.ts`])),
  },
  outdir: 'dist',
  chunkNames: 'library/[name]-[hash]',
  logLevel: 'warning',
});

// Recordings are read by a small kernel of WebAssembly.
const kernel = 'src/replay/read/kernel/kernel.ts';
const options = ['-O3', '--converge', '--runtime', 'stub', '--enable', 'simd', '--use', 'abort=', '--noAssert'];
const { error, stderr } = await asc.main([kernel, '--outFile', 'dist/reading.wasm', ...options]);
if (error) throw new Error(`${kernel}: ${stderr}`, { cause: error });

const PAGE = {
  bundle: true,
  minify: true,
  target: ['chrome111', 'firefox115', 'safari16.4'],
  logLevel: 'warning',
};

// The page of the studio is served as it is here.
const studio = 'src/flow/studio/page';
await build({
  ...PAGE,
  format: 'esm',
  entryPoints: [`${studio}/page.ts`, `${studio}/style.css`],
  outdir: 'dist/studio',
});
copyFileSync(`${studio}/index.html`, 'dist/studio/index.html');

// The page of a replay is one file; its policy lets nothing run but what is in it now.
const replay = 'src/report/replay-html/page';
const parts = { script: await bundled(`${replay}/page.ts`), style: await bundled(`${replay}/style.css`) };
let template = readFileSync(`${replay}/index.html`, 'utf8');
for (const [name, text] of Object.entries(parts)) {
  const hash = createHash('sha256').update(text).digest('base64');
  template = template.replace(`hash of the ${name}`, `sha256-${hash}`).replace(`/* the ${name} */`, () => text);
}
writeFileSync('dist/replay.html', template);

async function bundled(entryPoint) {
  const { outputFiles } = await build({
    ...PAGE,
    format: 'iife',
    charset: 'utf8',
    entryPoints: [entryPoint],
    outdir: 'dist',
    write: false,
    banner: { js: `/*! uPlot: ${readFileSync('node_modules/uplot/LICENSE', 'utf8')}*/` },
  });
  return outputFiles[0].text;
}

writeFileSync('dist/LICENSES.txt', licences());

// Editors find the schemas of the files that people write beside the program.
await writeSchema('src/config/json-schema.ts', 'jsonSchema', 'contextbudgetrc');
await writeSchema('src/flow/file/json-schema.ts', 'flowSchema', 'flow');

async function writeSchema(entryPoint, make, name) {
  const { outputFiles } = await build({ ...COMMON, splitting: false, entryPoints: [entryPoint], write: false });
  const text = outputFiles[0].text.replace(COMMON.banner.js, '');
  const schema = (await import(`data:text/javascript,${encodeURIComponent(text)}`))[make]();
  writeFileSync(`dist/${name}.schema.json`, `${JSON.stringify(schema, null, 2)}\n`);
}

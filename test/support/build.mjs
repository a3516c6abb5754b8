// Bundles the program into dist/, so that a call loads few files and only what it needs. A program that runs meanwhile goes
// on with the parts it was built with; with --clean nothing of an earlier build stays.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { rolldown } from 'rolldown';
import { licences } from './licences.mjs';
import { pluginBundle, TARGET } from './plugin-bundle.mjs';

/**
 * Rolldown gathers what several commands share into these parts, so that a command loads few files. Each part holds what
 * the modules need that are named for it, and that no part above it holds: so no two parts need each other, and what
 * answers in claude's way (status line, start of a run) loads little that it does not use. No program may be
 * named: it would run wherever its part is loaded.
 */
const PARTS = {
  compiled: /src\/store\/files\/compile-cache\.ts$/,
  base: /src\/(process-io|report\/style)\.ts$/,
  config: /src\/(config\/quick-config|store\/files\/read-lines)\.ts$/,
  files: /src\/(store\/folders\/context-dir|run\/headless-run|claude\/find-claude|store\/files\/process-mark)\.ts$/,
  figures:
    /src\/(core\/governor\/(policy|waits\/waits-state|relief\/unsupported|zones\/zones)|report\/figures|replay\/read\/(ids|read-values))\.ts$/,
  start: /src\/(cli\/(run-claude|shim)|run\/run-headless)\.ts$/,
  status: /src\/cli\/statusline\.ts$/,
  check: /src\/config\/resolve-config\.ts$/,
  output:
    /src\/(messages|run\/output\/outlet|claude\/claude-folders|core\/memory\/notebook\/fact|report\/terminal\/progress)\.ts$/,
  conduct: /src\/(run\/(conduct|caller-input)|report\/terminal\/terminal)\.ts$/,
  replay: /src\/(replay\/threads|cli\/replay)\.ts$/,
};

/** Output folder. On the disk of `dist`, so that files can be renamed into it. */
const NEXT = `dist/.next-${process.pid}`;

/** Time for which a run that began before a build can load its parts, in milliseconds. */
const KEPT_MS = 24 * 60 * 60 * 1000;

const PROGRAM = {
  platform: 'node',
  // cosmiconfig names it for .ts config files, which are never loaded.
  external: ['typescript'],
  // chalk is told how many colors there are: what finds that out of the terminal would load node:tty and node:net.
  resolve: { alias: { '#supports-color': resolve('node_modules/chalk/source/vendor/supports-color/browser.js') } },
  // write-file-atomic takes it as salt for the names of its temporary files.
  transform: { target: TARGET, define: { __filename: '"ctxb"' } },
  checks: { ineffectiveDynamicImport: false },
  treeshake: { propertyReadSideEffects: false },
};

const WRITTEN = {
  dir: NEXT,
  // Node loads CommonJS faster than modules, and can cache its compiled code.
  format: 'cjs',
  dynamicImportInCjs: false,
  minify: true,
  comments: false,
  entryFileNames: '[name].cjs',
  chunkFileNames: 'parts/[name]-[hash].cjs',
};

rmSync(NEXT, { recursive: true, force: true });
// All programs at once: what they share is there once. One of them is a thread, which is started by the name of its file.
const programs = await rolldown({
  ...PROGRAM,
  input: {
    ctxb: 'bin/ctxb.ts',
    'ctxb-shim': 'bin/ctxb-shim.ts',
    'cli/replay-worker': 'src/cli/replay-worker.ts',
  },
});
const { output } = await programs.write({
  ...WRITTEN,
  // By the name a shim knows a copy of itself.
  postBanner: '/* ctxb */',
  codeSplitting: {
    groups: Object.entries(PARTS).map(([name, test], index) => ({ name, test, priority: 100 - index })),
  },
});
await programs.close();
const bundled = output.flatMap(({ moduleIds = [] }) => moduleIds);
for (const name of Object.keys(PARTS)) {
  if (!output.some((chunk) => chunk.name === name))
    throw new Error(`test/support/build.mjs: no module is named for the part ${name}`);
}
for (const program of ['ctxb', 'ctxb-shim']) chmodSync(`${NEXT}/${program}.cjs`, 0o755);

// The library: index.js only names what the files beside it hold, so that a bundler takes no more than what is used.
const named = readFileSync('src/index.ts', 'utf8').matchAll(/^export \{[^}]*\} from '\.\/([^']+)\.ts'/gm);
const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const library = await build({
  bundle: true,
  external: Object.keys(dependencies),
  minify: true,
  legalComments: 'none',
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: TARGET,
  entryPoints: {
    index: 'src/index.ts',
    ...Object.fromEntries([...named].map(([, path]) => [`library/${path.split('/').at(-1)}`, `src/${path}.ts`])),
  },
  outdir: NEXT,
  chunkNames: 'library/[name]-[hash]',
  metafile: true,
  logLevel: 'warning',
});
bundled.push(...Object.keys(library.metafile.inputs));

const PAGE = {
  bundle: true,
  minify: true,
  target: ['chrome111', 'firefox115', 'safari16.4'],
  logLevel: 'warning',
};

await build({ ...PAGE, entryPoints: { studio: 'src/flow/studio/style.css' }, outdir: NEXT });

// The page of a replay is one file; its policy lets nothing run but what is in it now.
const replay = 'src/report/replay-html/page';
const parts = { script: await inlined(`${replay}/page.ts`), style: await inlined(`${replay}/style.css`) };
let template = readFileSync(`${replay}/index.html`, 'utf8');
for (const [name, text] of Object.entries(parts)) {
  const hash = createHash('sha256').update(text).digest('base64');
  template = template.replace(`hash of the ${name}`, `sha256-${hash}`).replace(`/* the ${name} */`, () => text);
}
writeFileSync(`${NEXT}/replay.html`, template);

async function inlined(entryPoint) {
  const { outputFiles, metafile } = await build({
    ...PAGE,
    format: 'iife',
    charset: 'utf8',
    entryPoints: [entryPoint],
    outdir: NEXT,
    write: false,
    metafile: true,
    banner: { js: `/*! uPlot: ${readFileSync('node_modules/uplot/LICENSE', 'utf8')}*/` },
  });
  bundled.push(...Object.keys(metafile.inputs));
  return outputFiles[0].text;
}

// The mod that runs inside claude. claude reads its source: `on` and `$` keep their names, so none is shortened.
cpSync('src/mod/plugin', `${NEXT}/mod`, { recursive: true });
const mod = await build({
  bundle: true,
  minifyWhitespace: true,
  minifySyntax: true,
  format: 'esm',
  platform: 'neutral',
  target: TARGET,
  external: ['./place.js'],
  entryPoints: ['src/mod/register.ts'],
  outfile: `${NEXT}/mod/hooks/register.js`,
  metafile: true,
  logLevel: 'warning',
});

bundled.push(...Object.keys(mod.metafile.inputs));

const plugin = await pluginBundle();
writeFileSync('plugin/hooks/register.js', plugin.text);
writeFileSync('plugin/LICENSES.txt', licences(plugin.inputs));

writeFileSync(`${NEXT}/LICENSES.txt`, licences(bundled));

// Editors find the schemas of the files that people write beside the program.
await writeSchema('test/support/settings-schema.ts', 'settingsSchema', 'contextbudgetrc');
await writeSchema('src/flow/file/flow-schema.ts', 'flowFileSchema', 'flow');

takeOver();

/** Moves the files to `dist`. Files that load others come last, so that loaded files always exist. */
function takeOver() {
  const files = filesIn(NEXT);
  const rank = (file) => (/^(?:parts|library)\//.test(file) ? 0 : file.includes('/') ? 1 : 2);
  for (const file of files.sort((a, b) => rank(a) - rank(b))) {
    mkdirSync(dirname(join('dist', file)), { recursive: true });
    renameSync(join(NEXT, file), join('dist', file));
  }
  rmSync(NEXT, { recursive: true });
  const isNeeded = (file) => !process.argv.includes('--clean') && Date.now() - statSync(file).mtimeMs < KEPT_MS;
  for (const file of filesIn('dist').filter((name) => !files.includes(name))) {
    if (!isNeeded(join('dist', file))) rmSync(join('dist', file));
  }
}

function filesIn(folder) {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return all.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
}

async function writeSchema(file, constant, name) {
  const contents = `import { ${constant} } from './${file}';
import { editorSchema } from './test/support/editor-schema.ts';
export default editorSchema(${constant});`;
  const options = { bundle: true, format: 'esm', platform: 'node', target: TARGET, write: false };
  const { outputFiles } = await build({ ...options, stdin: { contents, resolveDir: '.' } });
  const { default: schema } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
  writeFileSync(`${NEXT}/${name}.schema.json`, `${JSON.stringify(schema, null, 2)}\n`);
}

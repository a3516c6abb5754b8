// The plugin for people at the terminal, as it is committed: claude installs it from the repository.
import { build } from 'esbuild';

/** The language level that Node and claude support. */
export const TARGET = 'node20.19';

/** The bundle's text, and the modules in it. claude reads its source: `on` and `$` keep their names. */
export async function pluginBundle() {
  const { outputFiles, metafile } = await build({
    bundle: true,
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: TARGET,
    entryPoints: ['src/mod/terminal/register.ts'],
    outfile: 'plugin/hooks/register.js',
    write: false,
    metafile: true,
    logLevel: 'warning',
  });
  return { text: outputFiles[0].text, inputs: Object.keys(metafile.inputs) };
}

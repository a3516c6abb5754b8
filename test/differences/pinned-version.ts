import { readFileSync } from 'node:fs';

/** The version of claude that tests run. */
export function pinnedVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  return manifest.devDependencies['@anthropic-ai/claude-code'] ?? '';
}

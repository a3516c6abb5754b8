import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files of one commit of a public repository. */
export interface SampleSource {
  readonly repository: string;
  readonly commit: string;
  readonly files: readonly { readonly hash: string; readonly path: string }[];
}

/** Reads a list such as test/accuracy/sample.txt. */
export function readSample(text: string): SampleSource[] {
  const [, ...parts] = text.trim().split('\n\n');
  return parts.map((part) => {
    const [head = '', ...lines] = part.split('\n');
    const [repository = '', commit = ''] = head.split(' ');
    const files = lines.map((line) => {
      const space = line.indexOf(' ');
      return { hash: line.slice(0, space), path: line.slice(space + 1) };
    });
    return { repository, commit, files };
  });
}

/**
 * Fetches what of a source is not in the folder yet, by the hashes of its files: git itself sees to it that the bytes
 * are those that were measured.
 *
 * @returns why not all of it is there
 */
function fetchSource(folder: string, { repository, files }: SampleSource): string | undefined {
  const missing = files.filter(({ hash }) => !existsSync(placeOf(folder, hash)));
  if (missing.length === 0) return undefined;
  const store = join(folder, `${repository.replace('/', '+')}.git`);
  const fetched =
    git(['init', '--quiet', '--bare', store]) ??
    git([
      ...['-C', store, 'fetch', '--quiet', '--no-tags', '--depth=1', '--filter=blob:none'],
      `https://github.com/${repository}`,
      ...missing.map(({ hash }) => hash),
    ]);
  if (fetched !== undefined) return fetched;
  for (const { hash } of missing) {
    const { stdout, status } = spawnSync('git', ['-C', store, 'cat-file', 'blob', hash], { maxBuffer: 2 ** 30 });
    if (status !== 0) return `${repository} has no file ${hash}`;
    mkdirSync(join(placeOf(folder, hash), '..'), { recursive: true });
    writeFileSync(placeOf(folder, hash), stdout);
  }
  return undefined;
}

/** Each in a project of its own: ccusage sums up projects. */
export function placeOf(folder: string, hash: string): string {
  return join(folder, 'projects', hash, `${hash}.jsonl`);
}

/** What git said where it failed. */
function git(args: readonly string[]): string | undefined {
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0' };
  const { status, stderr, error } = spawnSync('git', args, { encoding: 'utf8', env });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

/** The sources of a list, and why one could not be had. */
export function fetchSample(
  folder: string,
  list: string,
): readonly (SampleSource & { readonly fault: string | undefined })[] {
  const text = readFileSync(join('test', 'accuracy', list), 'utf8');
  return readSample(text).map((source) => ({ ...source, fault: fetchSource(folder, source) }));
}

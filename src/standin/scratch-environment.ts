import { mkdtempSync } from 'node:fs';
import { mkdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { orStoreError } from '../store/files/store-error.ts';

export type ScratchEnvironment = Awaited<ReturnType<typeof createScratchEnvironment>>;

/**
 * Creates a home, a work folder and an environment for a child. No key, proxy or setting of the user reaches the child,
 * and the child reaches nothing but `url`.
 */
export async function createScratchEnvironment(access: { url: string; path?: string | undefined }) {
  // Claude Code resolves links in its work folder (/tmp is one on macOS), so resolve them here too.
  const top = await realpath(orStoreError(tmpdir(), () => mkdtempSync(join(tmpdir(), 'ctxb-scratch-'))));
  const [home, config, cwd, temporary] = [join(top, 'home'), join(top, 'config'), join(top, 'work'), join(top, 'tmp')];
  await Promise.all([home, config, cwd, temporary].map((folder) => mkdir(folder, { mode: 0o700 })));
  const env: Record<string, string> = {
    PATH: access.path ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    CLAUDE_CONFIG_DIR: config,
    TMPDIR: temporary,
    LANG: 'C.UTF-8',
    ANTHROPIC_BASE_URL: access.url,
    ANTHROPIC_API_KEY: 'sk-ant-standin-not-a-key',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // At a terminal, claude would clone its marketplace of plugins.
    CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: '1',
    DISABLE_AUTOUPDATER: '1',
    // Claude Code refuses to skip permissions for root unless it runs in a sandbox.
    IS_SANDBOX: '1',
    // This claude runs for seconds, so optimizing its code and starting threads for garbage collection would not pay.
    BUN_JSC_useDFGJIT: '0',
    BUN_JSC_numberOfGCMarkers: '1',
  };
  return { env, home, cwd, dispose: () => rm(top, { recursive: true, force: true, maxRetries: 3 }) };
}

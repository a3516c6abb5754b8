import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createScratchEnvironment } from '../../src/standin/scratch-environment.ts';

describe('createScratchEnvironment', () => {
  it('creates everything inside one folder, from scratch', async () => {
    const scratch = await createScratchEnvironment({ url: 'http://127.0.0.1:1', path: '/here' });
    const { env, home, cwd } = scratch;
    expect(Object.keys(env).sort()).toEqual([
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_BASE_URL',
      'BUN_JSC_numberOfGCMarkers',
      'BUN_JSC_useDFGJIT',
      'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
      'CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL',
      'CLAUDE_CONFIG_DIR',
      'DISABLE_AUTOUPDATER',
      'HOME',
      'IS_SANDBOX',
      'LANG',
      'PATH',
      'TMPDIR',
    ]);
    expect(env).toMatchObject({ PATH: '/here', HOME: home, ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' });
    for (const folder of [home, cwd, env.CLAUDE_CONFIG_DIR, env.TMPDIR]) {
      expect((await stat(folder ?? '')).isDirectory()).toBe(true);
      expect(dirname(folder ?? '')).toBe(dirname(home));
    }
    await scratch.dispose();
    await expect(stat(dirname(home))).rejects.toThrow('ENOENT');
  });
});

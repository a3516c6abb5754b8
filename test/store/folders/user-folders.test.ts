import { describe, expect, it } from 'vitest';
import { cacheFolder, stateFolder } from '../../../src/store/folders/user-folders.ts';

describe.each([
  { name: 'the cache', variable: 'XDG_CACHE_HOME', folder: cacheFolder, usual: '/h/.cache/ctxb' },
  { name: 'the state', variable: 'XDG_STATE_HOME', folder: stateFolder, usual: '/h/.local/state/ctxb' },
])('the folder of $name', ({ variable, folder, usual }) => {
  it.each([
    { name: 'as XDG says', env: { [variable]: '/x', HOME: '/h' }, expected: '/x/ctxb' },
    { name: 'below the home folder', env: { HOME: '/h' }, expected: usual },
    {
      name: 'below the home folder, where XDG is no absolute path',
      env: { [variable]: 'x', HOME: '/h' },
      expected: usual,
    },
    { name: 'none where there is no absolute path', env: { [variable]: 'x', HOME: 'h' }, expected: undefined },
  ])('is $name', ({ env, expected }) => expect(folder(env)).toBe(expected));
});

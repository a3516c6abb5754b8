import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect } from 'vitest';
import { type Finished, runProgram, startWorld, type World } from '../support/claude.ts';
import { ROOT } from '../support/package.ts';
import { inSoak } from '../support/size.ts';

/** Packs ctxb and installs the tarball into an empty prefix, with what it depends on from the registry, as `npm ci` has done. */
async function installTarball({ scratch }: World): Promise<{ readonly prefix: string; readonly npm: Finished }> {
  const prefix = join(scratch.home, 'prefix');
  // npm needs the proxy, the certificates and the cache of this machine; nothing that it starts is claude.
  const own = Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const cache = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();
  const env = {
    ...Object.fromEntries(own),
    HOME: scratch.home,
    npm_config_cache: cache,
    npm_config_fetch_retry_mintimeout: '1000',
  };
  const npm = (...args: readonly string[]) => runProgram('npm', args, { env, cwd: scratch.cwd });
  const packed = await npm('pack', ROOT, '--ignore-scripts', '--json', '--pack-destination', scratch.home);
  const [{ filename }] = JSON.parse(packed.stdout.toString());
  const flags = ['--global', '--prefix', prefix, '--prefer-offline', '--no-audit', '--no-fund'];
  return { prefix, npm: await npm('install', ...flags, join(scratch.home, filename)) };
}

inSoak(
  'the packed tarball installs into an empty prefix, and demo, doctor, run and replay work from there',
  async () => {
    await using world = await startWorld({ calls: [{ text: 'hello' }] });
    const { scratch, claude } = world;
    const { prefix, npm } = await installTarball(world);
    expect(npm).toMatchObject({ code: 0 });
    expect(readdirSync(join(prefix, 'bin')).sort()).toEqual(['ctxb', 'ctxb-shim']);

    // What is declared, and nothing of what is bundled.
    const modules = join(prefix, 'lib/node_modules/ctxb/node_modules');
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    for (const name of Object.keys(dependencies)) expect(existsSync(join(modules, name))).toBe(true);
    for (const name of ['valibot', 'yaml', '@opentelemetry']) expect(existsSync(join(modules, name))).toBe(false);

    const bin = join(scratch.home, 'bin');
    mkdirSync(bin);
    symlinkSync(claude, join(bin, 'claude'));
    const PATH = [join(prefix, 'bin'), bin, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);
    const call = async (command: string, ...args: readonly string[]) => {
      const run = await runProgram(command, args, { env: { ...scratch.env, PATH }, cwd: scratch.cwd });
      expect({ command, args, code: run.code, stderr: run.stderr }).toMatchObject({ command, args, code: 0 });
      return run.stdout.toString();
    };
    expect(await call('ctxb', 'demo')).toMatch(/What the job cost\n +with ctxb +\$\d/);
    // The mod of exact compactions is there too.
    expect(await call('ctxb', 'doctor')).toContain('✓ A mod in a running claude answers /compact');
    expect(await call('ctxb', 'run', '--record', 'run.ndjson', '--', 'claude', '-p', 'say hello')).toBe('hello\n');
    expect(await call('ctxb', 'replay', 'run.ndjson')).toMatch(/\$\d/);
    expect(await call('ctxb', 'replay', join(scratch.env.CLAUDE_CONFIG_DIR ?? '', 'projects'))).toMatch(/\$\d/);
    expect(await call('ctxb-shim', '-p', 'say hello')).not.toBe('');
  },
);

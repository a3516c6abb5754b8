import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readConfig } from '../../src/config/read-config.ts';

it('ctxb executes no file that cosmiconfig would execute while it searches', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ctxb-cosmiconfig-'));
  try {
    mkdirSync(join(folder, '.config'));
    writeFileSync(join(folder, '.config', 'config.cjs'), "console.log('executed'); module.exports = {};\n");
    writeFileSync(join(folder, '.contextbudgetrc.yaml'), 'observe: true\n');
    const program = "require('cosmiconfig').cosmiconfig('contextbudget').search(process.cwd())";
    const env = { PATH: process.env.PATH, NODE_PATH: join(import.meta.dirname, '../../node_modules') };
    const printed = execFileSync(process.execPath, ['-e', program], { cwd: folder, env, encoding: 'utf8' });
    expect(printed).toBe('executed\n');
    const { files, findings } = await readConfig(folder, {});
    expect(files.map(({ content }) => content)).toEqual([{ observe: true }]);
    expect(findings).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('a faulty file of the home folder is reported once, also in a folder below', async () => {
  const home = mkdtempSync(join(tmpdir(), 'ctxb-home-'));
  try {
    writeFileSync(join(home, '.contextbudgetrc.json'), '{');
    const project = join(home, 'project');
    mkdirSync(project);
    const { findings } = await readConfig(project, { HOME: home });
    expect(findings).toMatchObject([{ key: join(home, '.contextbudgetrc.json') }]);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

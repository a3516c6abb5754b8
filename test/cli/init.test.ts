import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CTXB } from '../support/ctxb.ts';
import { createPlace, ctxb, type Place } from './fakes.ts';

const SETTINGS = '.claude/settings.json';
const INSTALL = ['init', '--claude-settings', 'project', '--program', 'ctxb'];

const read = (place: Place, name: string) => readFileSync(place.path(name), 'utf8');

function settle(place: Place, text: string): void {
  mkdirSync(place.path('.claude'));
  writeFileSync(place.path(SETTINGS), text);
}

const run = (place: Place, ...args: string[]) => ctxb(place, [...INSTALL, ...args]);
const OTHER = `{\n\t"hooks": {\n\t\t"Stop": []\n\t},\n\t"statusLine": {\n\t\t"type": "command",\n\t\t"command": "mine.sh"\n\t}\n}`;

describe('the configuration', () => {
  it('is written once, with the schema that explains it', async () => {
    await using place = await createPlace();
    const first = await ctxb(place, ['init', '--preset', 'lean']);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout.toString()).toContain('.contextbudgetrc.json: written (lean)');
    const config = JSON.parse(read(place, '.contextbudgetrc.json'));
    expect(config).toMatchObject({ $schema: './.context/contextbudgetrc.schema.json', thresholds: { compact: 0.65 } });
    expect(JSON.parse(read(place, '.context/contextbudgetrc.schema.json'))).toHaveProperty('properties.thresholds');
    expect((await ctxb(place, ['config'])).stdout.toString()).toMatch(/thresholds\.compact +0\.65 +file/);

    const second = await ctxb(place, ['init', '--preset', 'heavy']);
    expect(second.stdout.toString()).toMatch(/json: exists already and is left as it is\n$/);
    expect(JSON.parse(read(place, '.contextbudgetrc.json'))).toEqual(config);
  });

  it('names the presets there are', async () => {
    await using place = await createPlace();
    const { code, stderr } = await ctxb(place, ['init', '--preset', 'big']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/lean, balanced, heavy/);
  });
});

describe("Claude Code's settings", () => {
  it('are shown as a diff, and changed only when that is wanted', async () => {
    await using place = await createPlace();
    settle(place, '{\n  "model": "m"\n}\n');
    const { code, stdout, stderr } = await run(place);
    expect(code).toBe(2);
    expect(stderr).toContain('say --yes, as there is nobody to ask here');
    expect(stdout.toString()).toContain('-  "model": "m"\n+  "model": "m",\n');
    expect(stdout.toString()).toContain('+    "command": "ctxb statusline"\n');
    expect(read(place, SETTINGS)).toBe('{\n  "model": "m"\n}\n');
  });

  it('are changed, left when called again, and made as they were to the byte', async () => {
    await using place = await createPlace();
    settle(place, OTHER);
    chmodSync(place.path(SETTINGS), 0o640);
    const added = await run(place, '--yes');
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(added.stdout.toString()).toContain(
      'the status line there stays (mine.sh): with --force ours takes its place',
    );
    expect(JSON.parse(read(place, SETTINGS))).toMatchObject({
      statusLine: { command: 'mine.sh' },
      hooks: { Stop: [{ hooks: [{ command: 'ctxb hook' }] }] },
    });
    expect(read(place, SETTINGS)).toContain('\n\t\t"Stop": [\n');
    expect(statSync(place.path(SETTINGS)).mode & 0o777).toBe(0o640);

    expect((await run(place, '--yes')).stdout.toString()).toMatch(
      /settings\.json: everything is there already\nClaude Code [\d.]+ and later: the plugin .*\n$/,
    );
    await run(place, '--yes', '--force');
    expect(JSON.parse(read(place, SETTINGS)).statusLine.command).toBe('ctxb statusline');

    expect((await run(place, '--undo', '--yes')).code).toBe(0);
    expect(read(place, SETTINGS)).toBe(OTHER);
    expect(existsSync(place.path(`${SETTINGS}.ctxb-backup`))).toBe(false);
  });

  it('that were changed since lose only our entries', async () => {
    await using place = await createPlace();
    settle(place, OTHER);
    await run(place, '--yes', '--force');
    const changed = JSON.parse(read(place, SETTINGS));
    writeFileSync(place.path(SETTINGS), JSON.stringify({ ...changed, model: 'm' }));
    await run(place, '--undo', '--yes');
    expect(JSON.parse(read(place, SETTINGS))).toEqual({ ...JSON.parse(OTHER), hooks: undefined, model: 'm' });
    expect((await run(place, '--undo', '--yes')).stdout.toString()).toMatch(/nothing of ours is there\n$/);
  });

  it('that were not there are not there again', async () => {
    await using place = await createPlace();
    const added = await run(place, '--yes');
    expect(added.stdout.toString()).toMatch(/settings\.json: written\nClaude Code [\d.]+ and later: the plugin .*\n$/);
    expect(existsSync(place.path(SETTINGS))).toBe(true);
    await ctxb(place, ['init', '--claude-settings', 'project', '--program', '/opt/ctxb', '--yes']);
    expect(existsSync(place.path(`${SETTINGS}.ctxb-backup`))).toBe(false);
    await run(place, '--undo', '--yes');
    expect(existsSync(place.path(SETTINGS))).toBe(false);
  });

  it('behind a symbolic link are changed where they are', async () => {
    await using place = await createPlace();
    await place.file('real.json', '{}');
    mkdirSync(place.path('.claude'));
    symlinkSync('../real.json', place.path(SETTINGS));
    expect((await run(place, '--yes')).code).toBe(0);
    expect(lstatSync(place.path(SETTINGS)).isSymbolicLink()).toBe(true);
    expect(JSON.parse(read(place, 'real.json'))).toHaveProperty('hooks.Stop');
  });

  it.each([
    {
      name: 'a link to nothing',
      prepare: (place: Place) => {
        mkdirSync(place.path('.claude'));
        symlinkSync('../nothing.json', place.path(SETTINGS));
      },
      said: /is a link to a file that is not there: make the file, or remove the link/,
    },
    {
      name: 'below a file',
      prepare: (place: Place) => writeFileSync(place.path('.claude'), ''),
      said: /settings\.json\S* cannot be used \(ENOTDIR/,
    },
    {
      name: 'below a link that leads to itself',
      prepare: (place: Place) => symlinkSync('.claude', place.path('.claude')),
      said: /is a symbolic link/,
    },
  ])('that are $name are refused, and nothing is written', async ({ prepare, said }) => {
    await using place = await createPlace();
    prepare(place);
    const { code, stderr } = await run(place, '--yes');
    expect(stderr).toMatch(said);
    expect(code).toBe(2);
    expect(existsSync(place.path(`${SETTINGS}.ctxb-backup`))).toBe(false);
  });

  it.each([
    { name: 'no JSON', text: '{\n  "model": m\n}', said: /settings\.json:2:12: expected JSON, .*nothing was changed/ },
    { name: 'no object', text: '[]', said: /settings\.json: expected an object in JSON/ },
  ])('that are $name are refused and stay', async ({ text, said }) => {
    await using place = await createPlace();
    settle(place, text);
    const { code, stderr } = await run(place, '--yes');
    expect(code).toBe(2);
    expect(stderr).toMatch(said);
    expect(read(place, SETTINGS)).toBe(text);
  });

  it.each([
    { place: 'local', path: '.claude/settings.local.json', env: {} },
    { place: 'user', path: '.claude/settings.json', env: {} },
    { place: 'user', path: 'there/settings.json', env: { CLAUDE_CONFIG_DIR: 'there' } },
  ])('$place are in $path', async ({ place: where, path, env }) => {
    await using place = await createPlace();
    await ctxb(place, ['init', '--claude-settings', where, '--yes'], { env });
    const { statusLine } = JSON.parse(read(place, path));
    expect(statusLine.command).toMatch(/^'.*node' '.*\/dist\/ctxb\.cjs' statusline$/);
  });

  it('call a ctxb whose path a shell would take for something else', async () => {
    await using place = await createPlace();
    cpSync(dirname(CTXB), place.path("o'brien/dist"), { recursive: true });
    // On PATH, but a folder: nothing that a shell could start.
    mkdirSync(place.path('tools/ctxb'), { recursive: true });
    const args = [place.path("o'brien/dist/ctxb.cjs"), 'init', '--claude-settings', 'project', '--yes'];
    execFileSync(process.execPath, args, { cwd: place.cwd, env: { PATH: place.path('tools') } });
    const { statusLine } = JSON.parse(read(place, SETTINGS));
    const shown = execFileSync('/bin/sh', ['-c', statusLine.command], { input: '{"cwd":"/"}', encoding: 'utf8' });
    expect(shown).toContain('not measured yet');
  });

  it('are not changed to words that --undo would not find', async () => {
    await using place = await createPlace();
    const { code, stderr } = await run(place, '--yes', '--program', 'node /opt/wrapper.mjs');
    expect(code).toBe(2);
    expect(stderr).toMatch(/--program: expected words that end in ctxb/);
    expect(existsSync(place.path(SETTINGS))).toBe(false);
  });

  it('cannot be where no folder can be made', async () => {
    await using place = await createPlace();
    const env = { CLAUDE_CONFIG_DIR: '/proc/none/here' };
    const { code, stderr } = await ctxb(place, ['init', '--claude-settings', 'user', '--yes'], { env });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('cannot be used (ENOENT') });
  });

  it('--undo asks where', async () => {
    await using place = await createPlace();
    expect((await ctxb(place, ['init', '--undo'])).stderr).toContain('--claude-settings project, local, user');
  });
});

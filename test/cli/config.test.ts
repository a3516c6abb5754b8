import { describe, expect, it } from 'vitest';
import { createPlace, ctxb, fake } from './fakes.ts';

describe('ctxb config', () => {
  it('prints every key with its value and source', async () => {
    await using place = await createPlace();
    const file = await place.file('.contextbudgetrc.json', '{"thresholds":{"warn":"60%"}}');
    const run = await ctxb(place, ['config'], { env: { CTXB_QUIET: 'true' } });
    const text = run.stdout.toString();
    expect(text).toMatch(/^key +value +source\n/);
    expect(text).toContain(file);
    expect(text).toMatch(/^thresholds\.warn +0\.6 +user /m);
    expect(text).toMatch(/^quiet +true +env CTXB_QUIET\n/m);
    expect(text).toMatch(/^thresholds\.compact +"economic" +default\n/m);
    expect(text).toMatch(/^window +\(measured\) +default\n/m);
    expect(run).toMatchObject({ code: 0, stderr: '' });
  });

  it('lists the budgets of all flows', async () => {
    await using place = await createPlace();
    await place.file('.contextbudgetrc.json', '{"flow":{"contextBudgetChars":90000}}');
    const run = await ctxb(place, ['config'], { env: { CTXB_FLOW_PRESET: 'lean' } });
    const text = run.stdout.toString();
    expect(text).toMatch(/^flow\.preset +"lean" +env CTXB_FLOW_PRESET\n/m);
    expect(text).toMatch(/^flow\.contextBudgetChars +\(not set\) +default\n/m);
    expect(run).toMatchObject({ code: 0, stderr: '' });
  });

  it('--json has the same values', async () => {
    await using place = await createPlace();
    const run = await ctxb(place, ['config', '--json'], { env: { CTXB_THRESHOLDS_MID_TURN: '0.9' } });
    expect(JSON.parse(run.stdout.toString())).toMatchObject({
      window: { value: null, source: 'default' },
      'thresholds.midTurn': { value: 0.9, source: 'env', where: 'CTXB_THRESHOLDS_MID_TURN' },
    });
    expect(run.code).toBe(0);
  });

  it('finds the file in a parent folder', async () => {
    await using place = await createPlace();
    await place.file('package.json', '{"contextbudget":{"task":"the parser"}}');
    const run = await ctxb({ ...place, cwd: '/' }, ['config', '--json']);
    expect(JSON.parse(run.stdout.toString())).toMatchObject({ task: { value: null } });
    const here = await ctxb(place, ['config', '--json']);
    expect(JSON.parse(here.stdout.toString())).toMatchObject({ task: { value: 'the parser', source: 'user' } });
  });
});

describe('errors go to stderr, the rest to stdout, exit 2', () => {
  it.each([
    {
      title: 'an unknown key',
      content: '{"thresholds":{"wran":0.5}}',
      says: ['thresholds.wran', 'did you mean thresholds.warn?'],
    },
    {
      title: 'an invalid size for a tool',
      content: '{"tools":{"Read":"much","perCal":1}}',
      says: ['tools.Read: ', 'tools.perCal: ', 'did you mean tools.perCall?'],
    },
    { title: 'a value out of range', content: '{"thresholds":{"warn":0}}', says: ['thresholds.warn'] },
    {
      title: 'levels in the wrong order',
      content: '{"thresholds":{"warn":0.9}}',
      says: ['thresholds.warn', 'less than'],
    },
    { title: 'text that is not JSON', content: '{"thresholds":', says: ['.contextbudgetrc.json:1:'] },
    { title: 'a list', content: '[]', says: ['expected an object'] },
    { title: 'two faults', content: '{"a":1,"quiet":"loud"}', says: ['a: ', 'quiet: '] },
  ])('$title', async ({ content, says }) => {
    await using place = await createPlace();
    await place.file('.contextbudgetrc.json', content);
    const run = await ctxb(place, ['config']);
    for (const part of says) expect(run.stderr).toContain(part);
    // The rest is printed all the same.
    expect(run.stdout.toString()).toMatch(/^thresholds\.compact +"economic" +default$/m);
    expect(run.code).toBe(2);
    expect(run.stderr).not.toContain('    at ');
    // A run is refused with the same findings.
    const refused = await ctxb(place, ['run', '--prompt', 'x', '--', 'no-such-claude']);
    expect(refused.code).toBe(2);
    for (const part of says) expect(refused.stderr).toContain(part);
  });

  it('an unknown variable', async () => {
    await using place = await createPlace();
    const run = await ctxb(place, ['config'], { env: { CTXB_THRESHOLDS_WRAN: '0.5' } });
    const says = 'CTXB_THRESHOLDS_WRAN: unknown variable, which ctxb ignores; did you mean CTXB_THRESHOLDS_WARN?';
    expect(run).toMatchObject({ code: 0, stderr: `ctxb: ${says}\n` });
  });
});

describe('an unknown variable stops no command and is reported once', () => {
  const SECRET = 'not-to-be-shown';
  it.each([
    { args: ['replay', '-'], code: 2 },
    { args: ['health'], code: 0 },
    { args: ['cleanup', '--dry-run'], code: 0 },
    { args: ['note', 'state', 'here'], code: 2 },
    { args: ['run', '--prompt', 'one', '--', fake('echoes'), '-p'], code: 0 },
    { args: ['shim', '--version'], code: 0 },
  ])('$args', async ({ args, code }) => {
    await using place = await createPlace();
    const env = { CTXB_THRESHOLD_WARN: SECRET, CTXB_ELSEWHERE: SECRET, CTXB_CLAUDE: fake('echoes') };
    const run = await ctxb(place, args, { env, stdin: '' });
    expect(run.code).toBe(code);
    expect(run.stderr.match(/CTXB_THRESHOLD_WARN: unknown variable.*mean CTXB_THRESHOLDS_WARN/g)).toHaveLength(1);
    expect(run.stderr.match(/CTXB_ELSEWHERE: unknown variable.*named after keys/g)).toHaveLength(1);
    expect(run.stderr).not.toContain(SECRET);
  });

  it.each([{ args: ['--help'] }, { args: ['replay', '--help'] }, { args: ['--version'] }])(
    '$args ignores it',
    async ({ args }) => {
      await using place = await createPlace();
      const run = await ctxb(place, args, { env: { CTXB_THRESHOLD_WARN: '1' } });
      expect(run).toMatchObject({ code: 0, stderr: '' });
    },
  );

  it('the status line does not mention it', async () => {
    await using place = await createPlace();
    const run = await ctxb(place, ['statusline'], { env: { CTXB_THRESHOLD_WARN: '1' }, stdin: '{}' });
    expect(run.stderr + run.stdout).not.toContain('CTXB_THRESHOLD_WARN');
  });
});

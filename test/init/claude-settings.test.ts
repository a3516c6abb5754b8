import { describe, expect, it } from 'vitest';
import { HOOK_EVENTS } from '../../src/hook/hook-events.ts';
import { isRecognised, withOurEntries, withoutOurEntries } from '../../src/init/claude-settings.ts';

const hook = (command: string) => ({ hooks: [{ type: 'command', command }] });
const OURS = hook('ctxb hook');
const OTHER = hook('say done');
const MIXED = { matcher: 'Bash', hooks: [{ type: 'command', command: 'log it' }, ...OURS.hooks] };

describe('adding', () => {
  it('puts a status line and all hooks in', () => {
    const { settings, otherStatusLine } = withOurEntries({}, 'ctxb', false);
    expect(settings.statusLine).toEqual({ type: 'command', command: 'ctxb statusline' });
    expect(Object.keys(settings.hooks as object)).toEqual(Object.keys(HOOK_EVENTS));
    expect(settings.hooks).toMatchObject({ Stop: [OURS], PostToolUse: [{ matcher: '*', ...OURS }] });
    expect(otherStatusLine).toBeUndefined();
  });

  it('leaves everything that is there, in its order', () => {
    const before = { model: 'm', hooks: { Notification: [OTHER], Stop: [OTHER] }, env: { A: '1' } };
    const { settings } = withOurEntries(before, 'ctxb', false);
    expect(Object.keys(settings)).toEqual(['model', 'hooks', 'env', 'statusLine']);
    expect(settings).toMatchObject({
      model: 'm',
      env: { A: '1' },
      hooks: { Notification: [OTHER], Stop: [OTHER, OURS] },
    });
  });

  it('done twice is done once', () => {
    const once = withOurEntries({ hooks: { Stop: [OTHER] } }, 'ctxb', false).settings;
    expect(withOurEntries(once, 'ctxb', false).settings).toEqual(once);
  });

  it('stays where it is when others came behind it', () => {
    const before = { hooks: { Stop: [OURS, OTHER] } };
    expect(withOurEntries(before, 'ctxb', false).settings).toMatchObject({ hooks: { Stop: [OURS, OTHER] } });
  });

  it('brings entries up to date that call ctxb in another way', () => {
    const before = withOurEntries({}, "'/usr/bin/node' '/old/ctxb.cjs'", false).settings;
    const { settings } = withOurEntries(before, 'ctxb', false);
    expect(settings).toEqual(withOurEntries({}, 'ctxb', false).settings);
  });

  it('keeps how our status line is shown', () => {
    const statusLine = { type: 'command', command: '/old/ctxb statusline', padding: 2 };
    const { settings } = withOurEntries({ statusLine }, 'ctxb', false);
    expect(settings.statusLine).toEqual({ type: 'command', command: 'ctxb statusline', padding: 2 });
  });

  it.each([
    { force: false, command: 'mine.sh', other: 'mine.sh' },
    { force: true, command: 'ctxb statusline', other: undefined },
  ])("of somebody else's status line (force: $force)", ({ force, command, other }) => {
    const { settings, otherStatusLine } = withOurEntries(
      { statusLine: { type: 'command', command: 'mine.sh' } },
      'ctxb',
      force,
    );
    expect(settings.statusLine).toEqual({ type: 'command', command });
    expect(otherStatusLine).toBe(other);
  });

  it.each([
    { name: 'hooks that are a list', settings: { hooks: [] }, said: /hooks: expected an object/ },
    { name: 'a hook that is none', settings: { hooks: { Stop: {} } }, said: /hooks\.Stop: expected a list/ },
  ])('refuses $name', ({ settings, said }) => {
    expect(() => withOurEntries(settings, 'ctxb', false)).toThrow(said);
  });
});

it.each([
  { program: 'ctxb', known: true },
  { program: 'npx --no ctxb', known: true },
  { program: 'npx -y ctxb@^1.2.0', known: true },
  { program: "'/usr/bin/node' '/o'\\''brien/ctxb.cjs'", known: true },
  { program: 'node /opt/wrapper.mjs', known: false },
  { program: 'ctxb --quiet', known: false },
])('entries by $program are known again: $known', ({ program, known }) => {
  expect(isRecognised(program)).toBe(known);
  const { settings } = withOurEntries({}, program, false);
  expect(withoutOurEntries(settings)).toEqual(known ? {} : settings);
});

describe('taking out', () => {
  it.each([
    { name: 'nothing', settings: {} },
    { name: 'other hooks', settings: { hooks: { Stop: [OTHER] } } },
    { name: 'empty groups', settings: { hooks: {} } },
    { name: 'an empty list', settings: { hooks: { Stop: [] } } },
    { name: 'what is no hook', settings: { hooks: [1], statusLine: null } },
    { name: 'another program whose name ends so', settings: { hooks: { Stop: [hook('notctxb hook')] } } },
  ])('leaves $name', ({ settings }) => {
    expect(withoutOurEntries(settings)).toEqual(settings);
  });

  it.each([
    { name: 'all', settings: {} },
    { name: 'all but others of the same hook', settings: { hooks: { Stop: [OTHER] }, model: 'm' } },
    { name: 'all but other hooks', settings: { hooks: { Notification: [OTHER] } } },
  ])('takes out what adding put in: $name', ({ settings }) => {
    expect(withoutOurEntries(withOurEntries(settings, 'ctxb', true).settings)).toEqual(settings);
  });

  it('takes only ours out of an entry of several', () => {
    expect(withoutOurEntries({ hooks: { PostToolUse: [MIXED] } })).toEqual({
      hooks: { PostToolUse: [{ matcher: 'Bash', ...hook('log it') }] },
    });
  });

  it('keys of every object are keys like others', () => {
    const settings = JSON.parse('{"__proto__":{"a":1},"hooks":{"constructor":[]}}');
    const added = withOurEntries(settings, 'ctxb', false).settings;
    expect(JSON.stringify(withoutOurEntries(added))).toBe(JSON.stringify(settings));
  });
});

import { expect, it } from 'vitest';
import { createInputReader } from '../../../src/replay/inputs.ts';
import { ASKED_KEYS } from '../../../src/replay/read/asked-keys.ts';
import type { Fields } from '../../../src/stream/fields.ts';
import { FIXTURE_RECORDINGS, objectsOf } from '../../support/recordings.ts';

/** What is read of these lines is read of the whole line. */
const READ_WHOLE = new Set([
  'result',
  'system',
  'attachment',
  'control_request',
  'control_response',
  'control_cancel_request',
  'conversation_reset',
  'command_lifecycle',
]);

/** Read by nobody but the memory of a run, which is kept from whole lines. */
const NOT_IN_A_REPLAY = ['tool_use_result', 'toolUseResult'];

/** The value, and every key that somebody looks for in it and in what it holds of the named ones. */
function watched(value: Fields, looked: Record<string, Set<string>>, of = 'line'): Fields {
  return new Proxy(value, {
    get(target, key) {
      if (typeof key === 'string') looked[of]?.add(key);
      const inner = Reflect.get(target, key);
      return key === 'message' || key === 'usage' ? watched(inner as Fields, looked, key) : inner;
    },
    has(target, key) {
      if (typeof key === 'string') looked[of]?.add(key);
      return Reflect.has(target, key);
    },
  });
}

it('are all that is read of lines that are not read whole', () => {
  const looked = { line: new Set<string>(), message: new Set<string>(), usage: new Set<string>() };
  const reader = createInputReader();
  for (const [at, line] of FIXTURE_RECORDINGS.flatMap(({ path }) => objectsOf(path)).entries()) {
    if (READ_WHOLE.has(String(line.type))) continue;
    const message = line.message ?? {};
    reader.read({
      kind: 'value',
      value: watched({ ...line, message: { usage: {}, ...message } }, looked),
      number: at,
      offset: 0,
    });
  }
  for (const { of, keys } of ASKED_KEYS) {
    const missing = [...looked[of]].filter((key) => !(key in keys) && !NOT_IN_A_REPLAY.includes(key));
    expect(missing, `keys of a ${of}`).toEqual([]);
    expect(looked[of].size).toBeGreaterThan(3);
  }
});

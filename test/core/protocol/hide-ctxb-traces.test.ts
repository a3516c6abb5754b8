import { describe, expect, it } from 'vitest';
import { hideCtxbTraces } from '../../../src/core/protocol/hide-ctxb-traces.ts';

const OURS = 'da51682a-0961-40d1-a057-f00000000001';
const HIS = '11111111-1111-4111-8111-111111111111';
const ANOTHER = '22222222-2222-4222-8222-222222222222';

const isStamped = (uuid: string) => uuid.startsWith('da51682a-');

interface Case {
  readonly title: string;
  readonly line: string;
  readonly alone: string;
  /** The caller asked for json. */
  readonly isStreamed?: true;
  /** He has hooks of his own. */
  readonly hasHooks?: true;
}

const PRE = 'PreCompact [callback] completed successfully';
const POST = 'PostCompact [callback] completed successfully';

/** The answer to `/compact`. */
function compacted(...hooks: readonly string[]): string {
  const content = `<local-command-stdout>Compacted ${hooks.join('\\n')}</local-command-stdout>`;
  return `{"type":"user","message":{"role":"user","content":"${content}"},"isReplay":true}`;
}

/** Shaped as 2.1.330 writes them. */
const CASES: readonly Case[] = [
  {
    title: 'a result',
    line: `{"type":"result","total_cost_usd":0.013751200000000002,"user_message_uuid":"${OURS}","user_message_uuids":["${OURS}"],"request_sent_wall_ms":1795317402904,"first_request_input_tokens":20000,"first_request_cache_read_input_tokens":19996,"queued_turn_count":0,"usage":{"iterations":[]}}\n`,
    alone: '{"type":"result","total_cost_usd":0.013751200000000002,"queued_turn_count":0,"usage":{"iterations":[]}}\n',
  },
  {
    title: 'a key with the name of an inherited property',
    line: `{"type":"assistant","constructor":"x","user_message_uuid":"${OURS}"}`,
    alone: '{"type":"assistant","constructor":"x"}',
  },
  {
    title: 'keys at the end, and a line end of two bytes',
    line: `{"type":"assistant","message":{"content":[]},"user_message_uuid":"${OURS}","user_message_uuids":["${OURS}"]}\r\n`,
    alone: '{"type":"assistant","message":{"content":[]}}\r\n',
  },
  {
    title: 'a key at the beginning',
    line: `{"user_message_uuids":["${OURS}"],"type":"system"}`,
    alone: '{"type":"system"}',
  },
  {
    title: 'the first part of an answer',
    line: `{"type":"stream_event","user_message_uuid":"${OURS}","user_message_uuids":["${OURS}"],"owed_rows":[]}`,
    alone: '{"type":"stream_event"}',
  },
  {
    title: 'the caller has named his prompts',
    line: `{"type":"result","user_message_uuid":"${HIS}","user_message_uuids":["${HIS}"],"request_sent_wall_ms":1}`,
    alone: `{"type":"result","user_message_uuid":"${HIS}","user_message_uuids":["${HIS}"],"request_sent_wall_ms":1}`,
  },
  {
    title: 'the caller has named the prompt that began the turn, and not the one that he said into it',
    line: `{"type":"result","user_message_uuid":"${HIS}","user_message_uuids":["${HIS}", "${OURS}"],"request_sent_wall_ms":1}`,
    alone: `{"type":"result","user_message_uuid":"${HIS}","user_message_uuids":["${HIS}"],"request_sent_wall_ms":1}`,
  },
  {
    title: 'the caller has named what he said into the turn, and not the prompt that began it',
    line: `{"type":"result","user_message_uuid":"${OURS}","user_message_uuids":["${OURS}","${HIS}","${ANOTHER}"],"request_sent_wall_ms":1}`,
    alone: `{"type":"result","user_message_uuid":"${HIS}","user_message_uuids":["${HIS}","${ANOTHER}"]}`,
  },
  {
    title: 'keys of these names deeper in the line, and a list that claude left empty',
    line: `{"message":{"user_message_uuid":"${OURS}","owed_rows":[]},"user_message_uuids":[],"text":"\\"user_message_uuid\\": ${OURS}"}`,
    alone: `{"message":{"user_message_uuid":"${OURS}","owed_rows":[]},"user_message_uuids":[],"text":"\\"user_message_uuid\\": ${OURS}"}`,
  },
  {
    title: 'where claude would name the prompt too',
    line: `{"type":"conversation_reset","user_message_uuid":"${OURS}"}`,
    alone: `{"type":"conversation_reset","user_message_uuid":"${OURS}"}`,
  },
  {
    title: 'spaces and digits stay',
    line: `{ "a" : 1.50e+00 , "user_message_uuid" : "${OURS}" ,\t"b":12345678901234567890 }`,
    alone: '{ "a" : 1.50e+00 ,\t"b":12345678901234567890 }',
  },
  {
    title: 'the answer to an `initialize` without hooks',
    line: '{"type":"control_response","response":{"subtype":"success","response":{"pid":1,"hooks_applied":true,"hook":2}}}',
    alone: '{"type":"control_response","response":{"subtype":"success","response":{"pid":1,"hook":2}}}',
  },
  {
    title: 'the answer to one with hooks',
    line: '{"type":"control_response","response":{"subtype":"success","response":{"pid":1,"hooks_applied":true}}}',
    alone: '{"type":"control_response","response":{"subtype":"success","response":{"pid":1,"hooks_applied":true}}}',
    hasHooks: true,
  },
  {
    title: 'what is there only in a stream, for a caller who asked for one',
    line: '{"capabilities":["a","lifecycle_wakeup_source_v1"],"model_usage_since_last_result":{"m":{"inputTokens":1}}}',
    alone:
      '{"capabilities":["a","lifecycle_wakeup_source_v1"],"model_usage_since_last_result":{"m":{"inputTokens":1}}}',
  },
  {
    title: 'what is there only in a stream, for a caller who asked for json',
    line: '{"capabilities":["a","lifecycle_wakeup_source_v1","b"],"model_usage_since_last_result":{"m":{"inputTokens":1}},"c":1}',
    alone: '{"capabilities":["a","b"],"c":1}',
    isStreamed: true,
  },
  {
    title: 'the hooks that ran around a compaction, all of them ours',
    line: compacted('PreCompact [callback] completed successfully: notes,\\n\\nand more', POST),
    alone: compacted(),
  },
  {
    title: 'the hooks that ran around a compaction, of the settings, of the caller and ours',
    line: compacted(
      'PreCompact [cat] completed successfully: x',
      PRE,
      `${PRE}: his`,
      PRE,
      'PostCompact [cat] failed',
      POST,
    ),
    alone: compacted('PreCompact [cat] completed successfully: x', PRE, `${PRE}: his`, 'PostCompact [cat] failed'),
  },
  {
    title: 'a conversation that was cleared, where claude names every prompt',
    line: `{"type":"conversation_reset","user_message_uuid":"${OURS}"}`,
    alone: `{"type":"conversation_reset","user_message_uuid":"${OURS}"}`,
  },
  {
    title: 'these words in another text',
    line: `{"text":${JSON.stringify(compacted(PRE))}}`,
    alone: `{"text":${JSON.stringify(compacted(PRE))}}`,
  },
];

describe("a line without ctxb's traces", () => {
  it.each(CASES)('$title', ({ line, alone, isStreamed = false, hasHooks = false }) => {
    const ownHooks = () => ['PreCompact', 'PostCompact'];
    expect(hideCtxbTraces(line, { isStamped, isStreamed, ownHooks, hasOnlyOwnHooks: () => !hasHooks })).toBe(alone);
  });
});

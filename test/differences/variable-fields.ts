/** What is another in each run of claude alone, and is therefore not compared. */
export type VariableField = ByKey | ByText | ByLine;

/** Keys of JSON objects whose values are left out. */
interface ByKey {
  readonly what: string;
  readonly why: string;
  readonly keys: readonly string[];
}

/** A text, wherever it stands, in whose place another is put. */
interface ByText {
  readonly what: string;
  readonly why: string;
  readonly text: RegExp;
  readonly stands: string;
}

/** Lines of stdout that are left out, by subtype. */
interface ByLine {
  readonly what: string;
  readonly why: string;
  readonly line: string;
}

export const VARIABLE_FIELDS: readonly VariableField[] = [
  {
    what: '`timestamp`, `end_time`, `request_sent_wall_ms`',
    why: 'the time of day',
    keys: ['timestamp', 'end_time', 'request_sent_wall_ms'],
  },
  {
    what: '`duration_ms`, `duration_api_ms`, `thinking_duration_ms`, `ttft_ms`, `ttft_stream_ms`, `time_to_request_ms`, `first_content_frame_ms`, `totalDurationMs`',
    why: 'a duration',
    keys: [
      ...['duration_ms', 'duration_api_ms', 'thinking_duration_ms', 'ttft_ms', 'ttft_stream_ms'],
      ...['time_to_request_ms', 'first_content_frame_ms', 'totalDurationMs'],
    ],
  },
  { what: '`retry_delay_ms`', why: 'claude draws it at random', keys: ['retry_delay_ms'] },
  {
    what: 'durations in texts (`/cost`, the end of an agent)',
    why: 'a duration',
    text: /(Total duration \(\w+\): +|<duration_ms>|duration_ms: )[\dhms ]+/g,
    stands: '$1TIME',
  },
  {
    what: 'UUIDs, except those that the caller gave',
    why: 'sessions, messages and requests get new ones',
    text: /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
    stands: 'UUID',
  },
  {
    what: '`run_id` of a task',
    why: 'a new one for each task',
    text: /\b0m\w{7}-[0-9a-f]{8}\b/g,
    stands: 'RUN',
  },
  { what: 'the id of an agent', why: 'a new one for each agent', text: /\ba[0-9a-f]{16}\b/g, stands: 'AGENT' },
  {
    what: 'the id of a background command',
    why: 'a new one for each command',
    text: /(ID: |tasks\/|task-id>|"(?:task_id|backgroundTaskId)":")b[0-9a-z]{8}\b/g,
    stands: '$1COMMAND',
  },
  {
    what: '`device_id` in `metadata.user_id`',
    why: 'a new one for each configuration folder',
    text: /\b[0-9a-f]{64}\b/g,
    stands: 'DEVICE',
  },
  {
    what: '`Execution error` as text after Ctrl-C',
    why: 'claude alone prints it at random; with ctxb it never does',
    text: /^Execution error$/g,
    stands: '',
  },
  {
    what: 'lines `system/ui_invalidate`, with `--bare`',
    why: 'claude prints them at random',
    line: 'ui_invalidate',
  },
  {
    what: '`messaging_socket_path`',
    why: 'it contains the process id',
    text: /cc-socks\/\d+\.sock/g,
    stands: 'cc-socks/PID.sock',
  },
  {
    what: 'the name of the file of a plan',
    why: 'claude draws it at random',
    text: /plans\/[\w-]+\.md/g,
    stands: 'plans/NAME.md',
  },
];

/** Each figure of a result, and how ctxb makes it. */
export const RESULT_FIGURES: readonly { readonly name: string; readonly made: string }[] = [
  {
    name: '`total_cost_usd`',
    made: "the whole cost of the run, including hidden turns (summaries, handoff documents) and the time before `--resume-run`. In a session that the caller resumes, also what claude no longer counts since a handoff in an earlier run. It is the sum of claude's last counters, plus the price of calls that a killed claude had not reported, by claude's log. It never falls, except at a `/clear` of the caller before any handoff or restart",
  },
  {
    name: '`modelUsage`',
    made: "the same by model: sums of tokens and searches, the newest `contextWindow` and `maxOutputTokens`. `costUSD` of all models adds up to `total_cost_usd`. For unreported calls, the output tokens come from claude's log, or else from their lines",
  },
  {
    name: '`model_usage_since_last_result`',
    made: "`modelUsage` less that of the caller's last result",
  },
  { name: '`result_index`', made: 'counts the results that the caller gets' },
  {
    name: '`num_turns`',
    made: 'if ctxb compacts exactly in a turn, or interrupts and continues it, also with `--resume-run`: one, plus one for each result of a tool and each summary of claude in it. A tool that ran when claude died counts',
  },
  {
    name: '`duration_ms`, `duration_api_ms`, `usage`',
    made: 'if a turn is interrupted and continued, also with `--resume-run`, or its claude dies: the sums over its parts. Time between the parts does not count. For a claude that died, `duration_api_ms` is unknown',
  },
  {
    name: '`ttft_ms`, `ttft_stream_ms`, `time_to_request_ms`, `first_content_frame_ms`, `queued_turn_count`, `safety_stops`, `subagent_stats`',
    made: "those of claude's last part; a new process resets `subagent_stats`",
  },
];

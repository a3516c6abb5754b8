/** Each figure of a result, and how ctxb makes it. */
export const RESULT_FIGURES: readonly { readonly name: string; readonly made: string }[] = [
  {
    name: '`total_cost_usd`',
    made: 'all that the run has spent, with what the caller does not see (summaries, handoff documents) and what was spent before `--resume-run`: the sum of the counters of claude as they were reported last, and calls that a killed claude had not reported yet at their price. It never falls, but for a `/clear` of the caller before any handoff or restart',
  },
  {
    name: '`modelUsage`',
    made: 'the same by model: tokens and searches are added up, `contextWindow` and `maxOutputTokens` are the newest. `costUSD` of all models adds up to `total_cost_usd`. Of calls that nobody reported, the output tokens are those that their lines name',
  },
  {
    name: '`model_usage_since_last_result`',
    made: '`modelUsage` less that of the result that the caller got before',
  },
  { name: '`result_index`', made: 'counts the results that the caller gets' },
  {
    name: '`num_turns`',
    made: 'of a turn in which ctxb compacts exactly, or that it interrupts and has go on: one, and one for each result of a tool (also of one that ran when claude died) and each summary of claude in it',
  },
  {
    name: '`duration_ms`, `duration_api_ms`, `usage`',
    made: 'of a turn that is interrupted and goes on, or whose claude dies: the sums over its parts. Time between the parts does not count; of a claude that died `duration_api_ms` is not known',
  },
  {
    name: '`ttft_ms`, `ttft_stream_ms`, `time_to_request_ms`, `first_content_frame_ms`, `queued_turn_count`, `safety_stops`, `subagent_stats`',
    made: 'as claude says them in its last part; `subagent_stats` begins again with a new process',
  },
];

# Gates in a script that ends at the first failure. Needs ctxb on PATH, jq, and RECORDINGS, the folder of our recordings.
set -eu

fails_with() {
  wanted=$1
  shift
  code=0
  "$@" > out.txt 2> err.txt || code=$?
  [ "$code" -eq "$wanted" ] || { echo "exit $code, not $wanted: $*" >&2; cat err.txt >&2; exit 1; }
}

# What is kept to lets a script go on.
ctxb replay --fail-over 85% --max-compactions 1 --max-unplanned 1 --max-cost 1 "$RECORDINGS/compact.ndjson" > report.txt
grep -q '80%' report.txt

# What is not ends it with 3, after the report, and says which session and call.
fails_with 3 ctxb replay --fail-over 75% "$RECORDINGS/compact.ndjson" "$RECORDINGS/tool-turn.ndjson"
grep -q '2 sessions' out.txt
grep -q 'compact.ndjson (session 2ca20535-.*): call 3 had a context of 160,000 tokens (80.0%), over 75%' err.txt
fails_with 3 ctxb replay --max-unplanned 0 "$RECORDINGS/native-mid-turn.session.jsonl"
grep -q 'by claude itself, more than 0: the first one over it after call 4' err.txt
fails_with 3 ctxb replay --max-compactions 0 "$RECORDINGS/compact.ndjson"
fails_with 3 ctxb replay --max-cost 0.60 "$RECORDINGS/compact.ndjson"
grep -q 'it cost $0.71, more than $0.60: beyond that by call 3' err.txt

# In a pipe.
cat "$RECORDINGS/compact.ndjson" | ctxb replay --json | jq -e '.sessions[0].context.peak == 160000' > /dev/null

# A wrong value is no gate that was not passed.
fails_with 2 ctxb replay --fail-over 85 "$RECORDINGS/compact.ndjson"
grep -q -- '--fail-over: expected' err.txt
fails_with 2 ctxb replay --max-cost cheap "$RECORDINGS/compact.ndjson"
fails_with 2 ctxb replay --csv --json "$RECORDINGS/compact.ndjson"
fails_with 2 ctxb replay missing.ndjson

# Such a script ends where a gate does.
fails_with 3 sh -euc 'ctxb replay --fail-over 75% "$RECORDINGS/compact.ndjson"; echo never'
! grep -q never out.txt
echo passed

import { handoffLevel, inTokens, type Policy } from '../../core/governor/policy.ts';
import { oneLine, shorten } from '../../core/text/words.ts';
import { FACT_NAMES, replayedText } from '../../messages.ts';
import type { RecordedCall, RecordedRelief } from '../../replay/recorded-items.ts';
import type { SessionSummary } from '../../replay/summary.ts';
import { sumByName } from '../../replay/totals.ts';

export type PageData = ReturnType<typeof pageData>;

export type PageSession = Readonly<ReturnType<typeof sessionData>>;

const CALL_KEYS = [
  'turn',
  'line',
  't',
  'context',
  'input',
  'cacheRead',
  'output',
  'outputKnown',
  'predicted',
  'usd',
] as const;

type CallKey = (typeof CALL_KEYS)[number];

/** The figures of a call; `model` is an index in the session's `models`. */
export type PageCall = Pick<RecordedCall, CallKey> & { readonly model: number };

/** Limits for the largest results of each session, which take most of the page's size. */
const RESULTS = { min: 10, max: 100, ofAll: 10_000 };

/** Maximum length of a text in the page, in code points. */
const TEXT_LENGTH = 300;
const PROMPT_LENGTH = 160;

/** @param sessions with their `series` @param policy sets the levels drawn in the charts */
export function pageData(sessions: readonly SessionSummary[], policy: Policy) {
  const count = Math.max(RESULTS.min, Math.min(RESULTS.max, Math.floor(RESULTS.ofAll / sessions.length)));
  return { version: 1 as const, sessions: sessions.map((session) => sessionData(session, policy, count)) };
}

function sessionData(session: SessionSummary, policy: Policy, max: number) {
  const { series = [], prompts = [], results = [], retention = [], whatIf, ...figures } = session;
  const models = [...new Set(series.map(({ model }) => model))];
  const cleaned = clean({
    ...figures,
    // The page does not show these, nor the tasks of subagents.
    ledger: undefined,
    keys: undefined,
    growth: undefined,
    oddities: undefined,
    explanation: undefined,
    models,
    subagents: figures.subagents.map(({ task: _, t: __, call: ___, ...agent }) => agent),
    actions: figures.actions.map((action) => ({
      kind: action.kind,
      text: replayedText(action, session),
      turn: action.at.turn + 1,
      call: action.at.call,
    })),
    results: results.toSorted((a, b) => b.tokens - a.tokens).slice(0, max),
    facts: retention.flatMap(factsOf),
    prompts: prompts.map(({ turn, tokens, text }) => ({ turn, tokens, text })),
    curve: whatIf?.curve,
  });
  return {
    ...cleaned,
    prompt: cleaned.prompt && shorten(cleaned.prompt, PROMPT_LENGTH),
    prompts: cleaned.prompts.map((each) => ({ ...each, text: shorten(each.text, PROMPT_LENGTH) })),
    /** Zone starts and compaction levels in tokens, ascending. */
    levels: levelsOf(figures.window.tokens, policy),
    columns: columnsOf(series, models),
  };
}

function factsOf({ call, actual, gone, stayed }: RecordedRelief) {
  const back = actual ? 'handed back by ctxb' : 'went; ctxb would hand it back';
  return [
    ...gone.map((fact) => ({ ...fact, fate: 'went' })),
    ...stayed.map(({ by, ...fact }) => ({ ...fact, fate: by === 'ctxb' ? back : 'stayed' })),
  ].map(({ kind, ...fact }) => ({ line: null, again: null, ...fact, kind: FACT_NAMES[kind], call: call - 1 }));
}

/** Removes control characters and direction marks: a text of a recording must not reorder the text around it. */
function clean<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_, part: unknown) =>
    typeof part === 'string' ? oneLine(part, TEXT_LENGTH) : part,
  );
}

function levelsOf(window: number | null, policy: Policy) {
  const { thresholds, zones } = policy;
  const levels = {
    warning: zones.warning,
    critical: thresholds.warn,
    compact: thresholds.compact,
    handoff: handoffLevel(policy, window ?? undefined),
  };
  return Object.entries(levels)
    .map(([name, threshold]) => ({
      name: name as keyof typeof levels,
      tokens: inTokens(threshold, window ?? undefined),
    }))
    .filter(({ tokens }) => Number.isFinite(tokens))
    .sort((a, b) => a.tokens - b.tokens);
}

/** The calls by column: in rows, the repeated names would be most of the page. */
function columnsOf(calls: readonly RecordedCall[], models: readonly (string | null)[]) {
  const columns = CALL_KEYS.map((key) => [key, calls.map((call) => call[key])]);
  return {
    ...(Object.fromEntries(columns) as { readonly [Key in CallKey]: readonly RecordedCall[Key][] }),
    model: calls.map(({ model }) => models.indexOf(model)),
    added: addedOf(calls),
  };
}

/** Tokens added before each call, by source, the source with the largest sum first. */
function addedOf(calls: readonly RecordedCall[]) {
  return [...sumByName(calls.flatMap(({ added }) => Object.entries(added)))]
    .sort(([, a], [, b]) => b - a)
    .map(([kind]) => ({
      kind: oneLine(kind, TEXT_LENGTH),
      tokens: calls.map(({ added }) => Math.round(Object.hasOwn(added, kind) ? (added[kind] ?? 0) : 0)),
    }));
}

const PLACE = '"data of the page"';

/** The page with its data. @param template the built page */
export function replayHtml(template: string, data: PageData): string {
  const [before = '', after = ''] = template.split(PLACE);
  // A `<script>` element ends at the first `</script`, even inside a string.
  const json = JSON.stringify(data).replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
  return before + json + after;
}

import type { Headers } from './standin/scenario.ts';

interface LimitHeaders {
  readonly status?: 'allowed' | 'allowed_warning' | 'rejected';
  /** Of the five-hour limit, 0 to 1. */
  readonly share?: number;
  /** Milliseconds from now; rounded up to whole seconds, as the API tells them. */
  readonly resetsInMs: number;
}

export function limitHeaders({ status = 'rejected', share = 1, resetsInMs }: LimitHeaders): Headers {
  const reset = Math.ceil((Date.now() + resetsInMs) / 1000);
  const name = 'anthropic-ratelimit-unified';
  return {
    [`${name}-status`]: status,
    [`${name}-reset`]: `${reset}`,
    [`${name}-representative-claim`]: 'five_hour',
    [`${name}-5h-status`]: status,
    [`${name}-5h-reset`]: `${reset}`,
    [`${name}-5h-utilization`]: `${share}`,
    [`${name}-7d-status`]: 'allowed',
    [`${name}-7d-reset`]: `${reset + 86_400}`,
    [`${name}-7d-utilization`]: '0.3',
  };
}

export function limited(resetsInMs: number) {
  return { error: { status: 429 }, headers: limitHeaders({ resetsInMs }) };
}

/** A made-up login of a subscription: with an API key claude tells nothing of limits. */
export const SUBSCRIPTION = { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-standin-not-a-token' };

import { describe, expect, it } from 'vitest';
import { decodeLine } from '../../../src/core/protocol/decode.ts';

/** 2.1.332 names the type of an error of the API's own beside the status. */
const FOREIGN = { terminal_reason: 'api_error', api_error_status: null };

const RESETS = 1_795_318_980;

function result(text: string, more: object = {}) {
  return decodeLine(JSON.stringify({ type: 'result', subtype: 'success', is_error: true, result: text, ...more }));
}

/** What 2.1.197 and 2.1.330 said to the stand-in. */
describe('API failures', () => {
  it.each([
    ["You've hit your 5-hour limit · resets 3:43am (UTC)", { api_error: 'usage_limit_reached' }, 'limit'],
    ["You've hit your session limit · resets 3:58pm (UTC)", {}, 'limit'],
    ["You've hit your weekly limit · resets Nov 25, 9am (UTC)", {}, 'limit'],
    ["API Error: Request rejected (429) · This request would exceed your account's rate limit.", {}, 'outage'],
    [
      'API Error: Request rejected (429) · this may be a temporary capacity issue.',
      { api_error_status: 429 },
      'outage',
    ],
    ['API Error: Server is temporarily limiting requests (not your usage limit) · Slow down', {}, 'outage'],
    ['API Error: 529 Overloaded. This is a server-side issue, usually temporary', {}, 'outage'],
    ['API Error: 502 Bad Gateway. This is a server-side issue, usually temporary', {}, 'outage'],
    ['API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)', {}, 'outage'],
    ["API Error: Can't reach the API server — check your internet or DNS (ENOTFOUND)", {}, 'outage'],
    ['API Error: Connection dropped (ECONNRESET). Check the gateway set in ANTHROPIC_BASE_URL', {}, 'outage'],
    ['API Error: Unable to connect to API (ConnectionRefused)', {}, 'outage'],
    ['words of a version to come', { api_error_status: 503 }, 'outage'],
    ['API Error: 409 conflict', { api_error_status: 409, api_error_type: 'conflict_error' }, 'outage'],
    ['API Error: 408 timeout', { api_error_status: 408, api_error_type: 'timeout_error' }, 'outage'],
    ['API Error: API returned an empty or malformed response (HTTP 200)', FOREIGN, 'outage'],
    ['Failed to authenticate. API Error: 403 Forbidden', { ...FOREIGN, api_error_status: 403 }, 'outage'],
    ['API Error: 407 Proxy Authentication Required', { ...FOREIGN, api_error_status: 407 }, 'outage'],
    ['API Error: 404 <html>nothing is here</html>', { ...FOREIGN, api_error_status: 404 }, 'outage'],
    ['API Error: 400 <html>Bad Request</html>', { ...FOREIGN, api_error_status: 400 }, 'outage'],
    [
      'Failed to authenticate. API Error: 403 no',
      { ...FOREIGN, api_error_status: 403, api_error_type: 'permission_error' },
      'outage',
    ],
    ['API Error: 413 <html>Too large</html>', { ...FOREIGN, api_error_status: 413 }, undefined],
    ['Invalid API key · Please run /login', FOREIGN, undefined],
    ["API Error: Claude's response exceeded the 32000 output token maximum", FOREIGN, undefined],
    ['API Error: 400 {"type":"error"}', { api_error_status: 400 }, undefined],
    ['Prompt is too long', {}, undefined],
    ['Credit balance is too low', {}, 'outage'],
  ])('%s', (text, more, cause) => {
    const event = result(text, more);
    const failure = 'failure' in event ? event.failure : undefined;
    expect(failure?.cause).toBe(cause);
    // The account is at fault, so waiting does not help.
    expect(failure?.isAccountFault === true).toBe(/ 403 no$|^Credit/.test(text));
  });

  it('are not reported for a successful turn, whatever its text', () => {
    expect(result("You've hit your 5-hour limit", { is_error: false })).not.toHaveProperty('failure');
  });

  it('have the time at which a limit resets', () => {
    const told = { api_error_params: { rate_limit_info: { resetsAt: RESETS } } };
    expect(result("You've hit your 5-hour limit", told)).toMatchObject({ failure: { resetsAt: RESETS * 1000 } });
    expect(result('API Error: 529 Overloaded', told)).toMatchObject({ failure: { resetsAt: undefined } });
  });
});

describe('the usage limits of an account', () => {
  it.each([
    {
      name: '2.1.330 tells each',
      info: {
        ...{ status: 'allowed_warning', resetsAt: RESETS, rateLimitType: 'five_hour', utilization: 0.92 },
        unifiedWindows: { seven_day: { utilization: 0.3, resetsAt: RESETS + 1, status: 'allowed' } },
      },
      rejectedLimit: undefined,
      limits: {
        five_hour: { share: 0.92, resetsAt: RESETS * 1000 },
        seven_day: { share: 0.3, resetsAt: (RESETS + 1) * 1000 },
      },
    },
    {
      name: '2.1.197 tells the one that was hit',
      info: { status: 'rejected', resetsAt: RESETS, rateLimitType: 'five_hour' },
      rejectedLimit: 'five_hour',
      limits: { five_hour: { share: undefined, resetsAt: RESETS * 1000 } },
    },
    { name: 'a refusal for no limit', info: { status: 'rejected' }, rejectedLimit: undefined, limits: {} },
    { name: 'nothing', info: undefined, rejectedLimit: undefined, limits: {} },
    {
      name: 'something else',
      info: { rateLimitType: 7, unifiedWindows: [1], resetsAt: 'soon' },
      rejectedLimit: undefined,
      limits: {},
    },
  ])('$name', ({ info, rejectedLimit, limits }) => {
    const event = decodeLine(JSON.stringify({ type: 'rate_limit_event', rate_limit_info: info }));
    expect(event).toMatchObject({ kind: 'rate-limit', rejectedLimit, limits });
  });
});

it.each([
  { line: { subtype: 'api_retry', error_status: 529, retry_delay_ms: 565.3 }, status: 529, delayMs: 565 },
  { line: { subtype: 'api_retry', error_status: null, retry_delay_ms: 1_000 }, status: undefined, delayMs: 1_000 },
  { line: { subtype: 'api_error', error: { status: 529 }, retryInMs: 548 }, status: 529, delayMs: 548 },
  { line: { subtype: 'api_error' }, status: undefined, delayMs: 0 },
])('claude tries again: $line', ({ line, status, delayMs }) => {
  expect(decodeLine(JSON.stringify({ type: 'system', ...line }))).toMatchObject({ kind: 'api-retry', status, delayMs });
});

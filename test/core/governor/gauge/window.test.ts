import { describe, expect, it } from 'vitest';
import { readGauge } from '../../../../src/core/governor/gauge/gauge.ts';
import { largestShare, peakShare } from '../../../../src/core/governor/gauge/model-windows.ts';
import {
  lastMeasuredVersion,
  learnWindow,
  mainWindow,
  UNKNOWN_WINDOW,
  type WindowSource,
} from '../../../../src/core/governor/gauge/window.ts';
import { decodeObject } from '../../../../src/core/protocol/decode.ts';
import {
  callLine,
  drive,
  initLine,
  type Line,
  policyWith,
  replayed,
  resultLine,
  runWith,
  userLine,
} from '../../../support/governor.ts';

const windowAfter = (lines: readonly Line[], window?: number) =>
  replayed(lines.map(decodeObject), { policy: policyWith({ window }) }).gauge.window;

const BEST_FIRST: readonly WindowSource[] = [
  'user',
  'result',
  'asked',
  'reported',
  'raised',
  'model-id',
  'version',
  'unknown',
];

describe('sources of the window', () => {
  it.each(BEST_FIRST.slice(1).map((worse, index) => ({ better: BEST_FIRST[index] ?? 'user', worse })))(
    '$better beats $worse, in any order',
    ({ better, worse }) => {
      const first = learnWindow({ tokens: 111_000, source: better }, 222_000, worse);
      const last = learnWindow({ tokens: 222_000, source: worse }, 111_000, better);
      expect([first, last]).toEqual([
        { tokens: 111_000, source: better },
        { tokens: 111_000, source: better },
      ]);
    },
  );

  it('prefers the newer of equal sources', () => {
    expect(learnWindow({ tokens: 1, source: 'result' }, 2, 'result').tokens).toBe(2);
  });

  it('ignores a window of 0', () => {
    expect(learnWindow({ tokens: 5, source: 'asked' }, 0, 'user')).toEqual({ tokens: 5, source: 'asked' });
  });
});

describe('the window of a session', () => {
  const LARGE = initLine({ model: 'claude-sonnet-4-5[1m]' });
  const result = (windows: Record<string, number>) =>
    resultLine({
      modelUsage: Object.fromEntries(Object.entries(windows).map(([id, contextWindow]) => [id, { contextWindow }])),
    });

  it.each([
    { name: 'nothing known', lines: [initLine({ model: 'some-other-model' })], window: UNKNOWN_WINDOW },
    { name: 'the mark in the model id', lines: [LARGE], window: { tokens: 1_000_000, source: 'model-id' } },
    { name: 'a result', lines: [initLine(), resultLine()], window: { tokens: 200_000, source: 'result' } },
    {
      name: 'a result that names the model with its mark',
      lines: [initLine(), callLine(10), result({ 'claude-sonnet-4-5[1m]': 1_000_000 })],
      window: { tokens: 1_000_000, source: 'result' },
    },
    {
      name: 'a result that also lists the model of a subagent',
      lines: [LARGE, result({ 'claude-haiku-4-5': 200_000, 'claude-sonnet-4-5[1m]': 1_000_000 })],
      window: { tokens: 1_000_000, source: 'result' },
    },
    {
      name: 'a result that names the model as it was asked for, not as it answers, and a helper',
      lines: [initLine({ model: 'our-alias' }), callLine(10), result({ 'our-alias': 500_000, 'our-helper': 200_000 })],
      window: { tokens: 500_000, source: 'result' },
    },
    {
      name: 'a context above the small window',
      lines: [initLine(), callLine(626_000)],
      window: { tokens: 1_000_000, source: 'raised' },
    },
    {
      name: 'a context above every window known',
      lines: [initLine(), callLine(1_200_000)],
      window: { tokens: 1_200_000, source: 'raised' },
    },
    {
      name: 'a context above the window that claude names: it goes on compacting by its own',
      lines: [initLine(), callLine(10), resultLine(), callLine(310_000)],
      window: { tokens: 200_000, source: 'result' },
    },
    {
      name: 'another model without the mark',
      lines: [LARGE, callLine(10), resultLine(), initLine({ model: 'some-other-model' })],
      window: UNKNOWN_WINDOW,
    },
    {
      name: 'a report in a reminder, where no usage is given',
      lines: [userLine('<system-reminder>Token usage: 50000/400000; 350000 remaining</system-reminder>')],
      window: { tokens: 400_000, source: 'reported' },
    },
    {
      name: 'the same words in a tool result',
      lines: [
        userLine([
          { type: 'tool_result', content: '<system-reminder>Token usage: 5/9; 4 remaining</system-reminder>' },
        ]),
      ],
      window: UNKNOWN_WINDOW,
    },
  ])('$name', ({ lines, window }) => {
    expect(windowAfter(lines)).toEqual(window);
  });

  it("is the user's, for any other source; claude's is known beside it", () => {
    const lines = [LARGE, callLine(626_000), resultLine(), initLine({ model: 'other' })];
    expect(windowAfter(lines.slice(0, 2), 150_000)).toEqual({ tokens: 150_000, source: 'user' });
    expect(windowAfter(lines, 150_000)).toEqual({ tokens: 150_000, source: 'user', claudesTokens: 200_000 });
  });
});

describe('the main model in a result', () => {
  it.each([
    { name: 'by its id', windows: { a: 1, b: 2 }, model: 'b', window: 2 },
    { name: 'with the mark', windows: { a: 1, 'b[1m]': 3 }, model: 'b', window: 3 },
    { name: 'with and without the mark: the one that runs', windows: { b: 2, 'b[1m]': 3 }, model: 'b', window: 2 },
    { name: 'the only one', windows: { a: 1 }, model: undefined, window: 1 },
    { name: 'one of several unknown ones', windows: { a: 1, b: 2 }, model: 'c', window: undefined },
    { name: 'none', windows: {}, model: 'a', window: undefined },
  ])('$name', ({ windows, model, window }) => {
    expect(mainWindow(windows, model)).toBe(window);
  });
});

describe('the window of a recording that does not name it', () => {
  const stream = (model: string, version: string) => [initLine({ model, claude_code_version: version })];
  const log = (model: string, version: string, ...contexts: readonly number[]) =>
    contexts.map((used): Line => {
      const call = callLine(used, { version, sessionId: 's1' });
      return { ...call, message: { ...(call.message as Line), model } };
    });

  it.each([
    { name: 'the newest default', lines: stream('claude-opus-5-5', '2.1.330'), tokens: 1_000_000 },
    { name: 'a model that was small before', lines: stream('claude-sonnet-5', '2.1.197'), tokens: 200_000 },
    { name: 'a small model', lines: stream('claude-opus-4-6', '2.1.330'), tokens: 200_000 },
    { name: 'an id with a date', lines: stream('claude-haiku-4-5-20251001', '2.1.330'), tokens: 200_000 },
    { name: 'an old model of an old version', lines: stream('claude-opus-4-1', '1.0.128'), tokens: 200_000 },
    { name: 'a model nobody knows', lines: stream('glm-5', '2.1.330'), tokens: undefined },
    { name: 'a small model in a version to come', lines: stream('claude-opus-4-6', '2.2.0'), tokens: 200_000 },
    {
      name: 'an id as Bedrock spells it',
      lines: stream('eu.anthropic.claude-haiku-4-5-20251001-v1:0', '2.1.330'),
      tokens: 200_000,
    },
    { name: 'an id as Vertex spells it', lines: stream('claude-opus-5@default', '2.1.330'), tokens: 1_000_000 },
    { name: 'a large model in a version to come', lines: stream('claude-opus-5-5', '2.2.0'), tokens: 1_000_000 },
    {
      name: 'no version',
      lines: [initLine({ model: 'claude-opus-5-5', claude_code_version: undefined })],
      tokens: undefined,
    },
    { name: 'a log of a marked default', lines: log('claude-opus-4-8', '2.1.197', 50_000), tokens: undefined },
    {
      name: 'a log of a model that is run with either',
      lines: log('claude-sonnet-5', '2.1.217', 1),
      tokens: undefined,
    },
    {
      name: 'the same past the small one',
      lines: log('claude-sonnet-5', '2.1.217', 199_000, 201_000),
      tokens: 1_000_000,
    },
    {
      name: 'a log of a small model that plans run as the large one',
      lines: log('claude-opus-4-6', '2.1.91', 150_000),
      tokens: undefined,
    },
    {
      name: 'the same past the small window',
      lines: log('claude-opus-4-6', '2.1.110', 199_000, 201_000),
      tokens: 1_000_000,
    },
    {
      name: 'the same before plans did that',
      lines: log('claude-opus-4-6', '2.1.42', 150_000),
      tokens: 200_000,
    },
    { name: 'a stream of it, which keeps the mark', lines: stream('claude-opus-4-6', '2.1.91'), tokens: 200_000 },
    { name: 'a log of a small model', lines: log('claude-sonnet-4-5', '2.1.20', 150_000), tokens: 200_000 },
    {
      name: 'a log past the native trigger, which may be off',
      lines: log('claude-sonnet-4-5', '2.1.20', 156_000, 158_000),
      tokens: 200_000,
    },
    {
      name: 'the same where nothing is compacted before',
      lines: log('claude-sonnet-4-5', '2.1.197', 198_000, 199_000),
      tokens: 200_000,
    },
  ])('$name: $tokens', ({ lines, tokens }) => {
    expect(windowAfter(lines).tokens).toBe(tokens);
  });

  const commit = (trailer: string, model = 'claude-opus-4-6'): Line => {
    const call = callLine(60_000, { version: '2.1.91', sessionId: 's1' });
    const command = `git commit -m "Mend it\n\nCo-Authored-By: Claude ${trailer} <noreply@anthropic.com>"`;
    const content = [{ type: 'tool_use', id: 't', name: 'Bash', input: { command } }];
    return { ...call, message: { ...(call.message as Line), model, content } };
  };
  const switched = (args: string, said: string) => [
    userLine(
      `<command-name>/model</command-name>\n<command-message>model</command-message>\n<command-args>${args}</command-args>`,
    ),
    userLine(`<local-command-stdout>Set model to ${said}</local-command-stdout>`),
  ];
  const opus = 'claude-opus-4-6';

  it.each([
    {
      name: 'the signature of a commit',
      lines: [commit('Opus 4.6 (1M context)'), ...log(opus, '2.1.91', 150_000)],
      tokens: 1_000_000,
    },
    { name: 'a signature without it', lines: [commit('Opus 4.6'), ...log(opus, '2.1.91', 150_000)], tokens: undefined },
    {
      name: 'a signature of another family',
      lines: [commit('Sonnet 4.6 (1M context)'), ...log(opus, '2.1.91', 150_000)],
      tokens: undefined,
    },
    {
      name: '`/model` with the mark',
      lines: [...switched('opus[1m]', 'opus[1m] (claude-opus-4-6[1m])'), ...log(opus, '2.1.91', 150_000)],
      tokens: 1_000_000,
    },
    {
      name: 'the answer to `/model` alone',
      lines: [...switched('', '\u001b[1mSonnet 4.5 (1M context)\u001b[22m'), ...log('claude-sonnet-4-5', '2.1.91', 9)],
      tokens: 1_000_000,
    },
    {
      name: '`/model` without it',
      lines: [...switched('opus', '\u001b[1mOpus 4.6\u001b[22m'), ...log(opus, '2.1.91', 150_000)],
      tokens: undefined,
    },
    {
      name: '`/model` with the mark and back',
      lines: [
        ...switched('opus[1m]', 'Opus 4.6 (1M context)'),
        ...log(opus, '2.1.91', 150_000),
        ...switched('opus', 'Opus 4.6'),
        ...log(opus, '2.1.91', 151_000),
      ],
      tokens: undefined,
    },
    { name: 'nothing', lines: log(opus, '2.1.91', 150_000), tokens: undefined },
  ])('is reported for a model with either window by $name: $tokens', ({ lines, tokens }) => {
    expect(windowAfter(lines).tokens).toBe(tokens);
  });

  it('is not used for decisions', () => {
    const driver = drive(runWith());
    driver.begin();
    driver.claude(...stream('claude-sonnet-4-5', '2.1.330'), callLine(190_000));
    expect(driver.state.gauge.window).toEqual(UNKNOWN_WINDOW);
  });
});

describe('a conversation that continues with another model', () => {
  const calls = (...said: readonly (readonly [model: string, used: number])[]) =>
    replayed(
      said.map(([model, used], at) => {
        const call = callLine(used, { version: '2.1.300', sessionId: 's1' });
        return decodeObject({ ...call, message: { ...(call.message as Line), model, id: `m${at}` } });
      }),
    ).gauge;

  it("has the window of the last call's model", () => {
    const gauge = calls(['claude-haiku-4-5', 60_000], ['claude-opus-5', 190_000]);
    expect([gauge.window.tokens, peakShare(gauge), largestShare(gauge)]).toEqual([1_000_000, 0.19, 0.3]);
  });

  it('keeps the window of a model that returns', () => {
    const gauge = calls(['claude-opus-5', 300_000], ['claude-haiku-4-5', 170_000], ['claude-opus-5', 171_000]);
    expect([gauge.window.tokens, peakShare(gauge), largestShare(gauge)]).toEqual([1_000_000, 0.3, 0.85]);
  });

  it('does not report a share that a model of unknown window may exceed', () => {
    const gauge = calls(['glm-5', 150_000], ['claude-opus-5', 160_000], ['glm-5', 155_000]);
    expect([gauge.window.tokens, peakShare(gauge), largestShare(gauge)]).toEqual([undefined, 0.16, null]);
  });

  it('never has a share above 1', () => {
    const gauge = replayed([callLine(90_000)].map(decodeObject), { policy: policyWith({ window: 50_000 }) }).gauge;
    expect([readGauge(gauge).fraction, peakShare(gauge)]).toEqual([1, 1]);
  });
});

it.each([
  { version: '2.1.332', asOf: undefined },
  { version: '2.3.0', asOf: '2.1.332' },
])('marks a window from the table in $version: as of $asOf', ({ version, asOf }) => {
  expect(lastMeasuredVersion('version', version)).toBe(asOf);
  expect(lastMeasuredVersion('result', version)).toBeUndefined();
});

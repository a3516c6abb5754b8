import { describe, expect, it } from 'vitest';
import { modelName } from '../../../src/core/protocol/model-name.ts';

describe('the name of a model', () => {
  it.each([
    ['claude-opus-4-1-20250805', 'claude-opus-4-1'],
    ['claude-opus-4-0', 'claude-opus-4'],
    ['claude-sonnet-5[1m]', 'claude-sonnet-5'],
    ['apac.anthropic.claude-sonnet-4-20250514-v1:0', 'claude-sonnet-4'],
    ['arn:aws:bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude-haiku-4-5-20251001-v1:0', 'claude-haiku-4-5'],
    ['claude-3-5-sonnet-v2@20241022', 'claude-3-5-sonnet'],
    ['claude-opus-5-5@default', 'claude-opus-5-5'],
    ['openrouter/anthropic/claude-sonnet-4.5', 'claude-sonnet-4-5'],
    ['anthropic/claude-3.7-sonnet:thinking', 'claude-3-7-sonnet'],
    ['claude-4.5-haiku', 'claude-haiku-4-5'],
    ['databricks-claude-opus-4-6', 'claude-opus-4-6'],
    ['Claude-Fable-5-1', 'claude-fable-5-1'],
    ['Claude Opus 4.5', 'claude-opus-4-5'],
    ['anthropic--claude-4-sonnet', 'claude-sonnet-4'],
    ['us.anthropic.claude-haiku-4-5-20251001-v1%3A0', 'claude-haiku-4-5'],
    ['anthropic/claude-opus-4.6:online', 'claude-opus-4-6'],
    ['claude-sonnet-4-5-20250929-1m', 'claude-sonnet-4-5'],
    ['claude-opus-4-6-high', 'claude-opus-4-6'],
    ['claude_sonnet_4_5', 'claude-sonnet-4-5'],
    ['anthropic/claude-sonnet-4_5', 'claude-sonnet-4-5'],
    ['claude-sonnet-4p5', 'claude-sonnet-4-5'],
    ['claude-3p5-haiku', 'claude-3-5-haiku'],
    ['claude-opus-4-5-us', 'claude-opus-4-5'],
  ])('%s is %s', (id, name) => {
    expect(modelName(id)).toBe(name);
  });

  it.each(['glm-5.1', 'claude-opus', 'someone/claude-4.5-opus-distilled', '<synthetic>', ''])(
    '%s stays unchanged',
    (id) => {
      expect(modelName(id)).toBe(id);
    },
  );
});

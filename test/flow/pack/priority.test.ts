import { describe, expect, it } from 'vitest';
import { classify, tierOfId, tierOfOutput } from '../../../src/flow/pack/priority.ts';
import { packItem } from '../../support/packs.ts';

describe('words of an id', () => {
  it.each([
    { id: 'critic', tier: 'CRITICAL' },
    { id: 'pre-DECIDER', tier: 'CRITICAL' },
    { id: 'codeCritic', tier: 'CRITICAL' },
    { id: 'final.decision', tier: 'CRITICAL' },
    { id: 'HTMLCritic2', tier: 'CRITICAL' },
    { id: 'run_tests', tier: 'HIGH' },
    { id: 'unit-testing', tier: 'HIGH' },
    { id: 'implementer', tier: 'HIGH' },
    { id: 'Implementation', tier: 'HIGH' },
    { id: 'runHTMLTests', tier: 'HIGH' },
    { id: 'test2', tier: 'HIGH' },
    { id: 'context-loader', tier: 'MEDIUM' },
    { id: 'risk_assessment', tier: 'MEDIUM' },
    { id: 'analyzer', tier: 'MEDIUM' },
    { id: 'normalization', tier: 'LOW' },
    { id: 'framing', tier: 'LOW' },
    { id: 'histories', tier: 'LOW' },
    { id: 'report_critic', tier: 'CRITICAL' },
    { id: 'load_report', tier: 'MEDIUM' },
    { id: 'latest', tier: undefined },
    { id: 'contest', tier: undefined },
    { id: 'critical_path', tier: undefined },
    { id: 'framework_upgrade', tier: undefined },
    { id: 'download', tier: undefined },
    { id: 'brisk', tier: undefined },
    { id: 'analyz_normalizs', tier: undefined },
    { id: 'prehistory', tier: undefined },
    { id: 'authority', tier: undefined },
    { id: '', tier: undefined },
    { id: '___', tier: undefined },
  ])('$id: $tier', ({ id, tier }) => {
    expect(tierOfId(id)).toBe(tier);
  });
});

describe('words of an output', () => {
  it.each([
    { name: 'a word', output: 'The decision: ship', tier: 'HIGH' },
    { name: 'in capitals', output: 'ADR-001', tier: 'HIGH' },
    { name: 'a plural', output: 'three critiques', tier: 'HIGH' },
    { name: 'a part of a file name', output: 'wrote build_receipt.json', tier: 'HIGH' },
    { name: 'one that lowers', output: 'test_summary.md', tier: 'LOW' },
    { name: 'its plural', output: 'summaries', tier: 'LOW' },
    { name: 'both', output: 'A summary of the decision', tier: 'HIGH' },
    { name: 'part of another word', output: 'a quadratic auditory prehistory, indecision', tier: undefined },
    { name: 'beside a letter that is not Latin', output: 'аdrж adrж жadr', tier: undefined },
    { name: 'a whole word after part of another', output: 'quadratic, adr', tier: 'HIGH' },
    { name: 'the last of the first 1,000', output: `${' '.repeat(992)}decision, so`, tier: 'HIGH' },
    { name: 'one that goes on behind the first 1,000', output: `${' '.repeat(995)}auditory`, tier: undefined },
    { name: 'behind the first 1,000', output: `${' '.repeat(1_000)}decision`, tier: undefined },
    { name: 'within 1,000 characters of two units', output: `${'😀'.repeat(991)} decision`, tier: 'HIGH' },
    { name: 'nothing', output: '', tier: undefined },
  ])('$name: $tier', ({ output, tier }) => {
    expect(tierOfOutput(output)).toBe(tier);
  });
});

describe('order of the rules', () => {
  const said = { stepId: 'critic', output: 'a summary' };

  it.each([
    {
      name: 'the step itself',
      item: { ...said, agent: 'code-critic', priority: 'low' as const },
      as: { tier: 'LOW', by: 'step' },
    },
    { name: 'a known agent', item: { ...said, agent: 'GH-Reporter' }, as: { tier: 'LOW', by: 'known agent' } },
    { name: 'the id', item: { ...said, agent: 'somebody' }, as: { tier: 'CRITICAL', by: 'step id' } },
    { name: 'the output', item: { output: 'a summary' }, as: { tier: 'LOW', by: 'output' } },
    { name: 'nothing', item: {}, as: { tier: 'MEDIUM', by: 'default' } },
  ])('$name', ({ item, as }) => {
    expect(classify(packItem(item))).toEqual(as);
  });

  it.each(['constructor', '__proto__', 'toString'])('treats %s like any other agent', (agent) => {
    expect(classify(packItem({ agent }))).toEqual({ tier: 'MEDIUM', by: 'default' });
  });
});

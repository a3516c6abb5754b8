import type { Curator, FlowStep } from '../flow.ts';

/** What holds where a flow file says nothing. The defaults of budgets are those of the packs. */
export const FLOW_DEFAULTS: {
  readonly curator: Curator;
  readonly step: Pick<FlowStep, 'retries' | 'onFail'>;
} = {
  // A cheap model reads and lists for some ten seconds; beyond a minute the mechanical selection is the better deal.
  curator: { enabled: false, model: 'haiku', timeoutSeconds: 60, maxFiles: 20 },
  step: { retries: 0, onFail: 'stop' },
};

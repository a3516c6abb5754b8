/** How much a step's output counts when there is not room for all. */
export type Priority = 'critical' | 'high' | 'medium' | 'low';

/**
 * In characters (code points): what a briefing may take, what of it the output of the newest step or of a critical one,
 * and what that of each other step.
 */
export interface Budgets {
  readonly contextBudgetChars: number;
  readonly historyRecentChars: number;
  readonly historyOlderChars: number;
}

/**
 * What a level (configuration, profile, flow, step) says otherwise. `contextBudgetTokens` takes the place of the characters:
 * a share of the window (≤ 1) or tokens (> 1); the other two are then in proportion, unless they are given.
 */
export type BudgetChanges = Partial<Budgets> & {
  readonly preset?: 'lean' | 'balanced' | 'heavy';
  readonly contextBudgetTokens?: number;
};

/** The group `flow` of the configuration: what holds for all flows that say nothing else themselves. */
export type FlowGlobals = BudgetChanges & {
  /** As those of a flow, which stand above them. */
  readonly priorities: Readonly<Record<string, Priority>>;
  /** Whether flows that do not say it themselves have a curator. */
  readonly curator: boolean;
};

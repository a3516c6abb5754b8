/**
 * Measures the context window of Claude Code, and decides when to act, for programs that drive it.
 *
 * Tokens are whole numbers, times are milliseconds since the epoch, money is US dollars, shares are fractions of the
 * window. Expected failures throw {@link CtxbError}.
 *
 * @packageDocumentation
 */

export type { Decision, Verdict } from './core/governor/decisions.ts';
export { type Action, isDecision } from './core/governor/decisions.ts';
export type { Effect, HookAnswer, HookName, TimerName } from './core/governor/effects.ts';
export type { Reading, SizeBasis as Basis } from './core/governor/gauge/gauge.ts';
export type { WindowSource } from './core/governor/gauge/window.ts';
export type { ExitEvent, Input, OwnEvent, RecoveredEvent } from './core/governor/input.ts';
export type { Policy } from './core/governor/policy.ts';
export type { RecordLine } from './core/governor/record.ts';
export type { ZoneName } from './core/governor/zones/zones.ts';
export type { Block } from './core/protocol/block.ts';
export { decodeLine } from './core/protocol/decode.ts';
export type {
  ApiRetryEvent,
  AssistantEvent,
  BoundaryEvent,
  CompactStatusEvent,
  ControlCancelEvent,
  ControlRequestEvent,
  ControlResponseEvent,
  Event as ClaudeEvent,
  InitEvent,
  LifecycleEvent,
  MalformedEvent,
  ModeEvent,
  OtherEvent,
  PartialEvent,
  ResetEvent,
  ResultEvent,
  TaskEvent,
  UserEvent,
  UserRole,
} from './core/protocol/events.ts';
export type { Usage } from './core/protocol/usage.ts';
export { CtxbError, type ErrorCode, isCtxbError } from './errors.ts';
export {
  type ContextReading,
  createGovernor,
  type Governor,
  type GovernorOptions,
  type GovernorSnapshot,
  type GovernorStep,
} from './library/create-governor.ts';
export type { PolicyOptions, PriceOptions, Share } from './library/policy-options.ts';

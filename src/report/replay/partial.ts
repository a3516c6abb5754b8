import { PARTIAL_OPENING, partialClosing, partialSession } from '../../replay/parts/partial.ts';
import type { OpenReport } from './format.ts';

/** A part of the work, for another `ctxb replay`. */
export const partial: OpenReport = () => {
  let sessions = 0;
  return {
    session: (session) => (sessions++ === 0 ? PARTIAL_OPENING : '') + partialSession(session),
    end: ({ faults }) => (sessions === 0 ? PARTIAL_OPENING : '') + partialClosing(sessions, faults),
  };
};

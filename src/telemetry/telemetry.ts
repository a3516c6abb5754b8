import type { Decision } from '../core/governor/decisions.ts';
import { messageOf } from '../errors.ts';
import type { Transition } from '../host/governor-host.ts';
import type { Io } from '../io.ts';
import { createSignals } from './create-signals.ts';
import { destination } from './destinations.ts';
import type { Sender } from './sender.ts';

export type Telemetry = ReturnType<typeof follow>;

/**
 * Starts telemetry; undefined if it is not configured or failed to start. Loads the SDK on demand.
 *
 * @param notice called at most once, with the reason why telemetry is not sent
 */
export async function openTelemetry(
  otlp: string | undefined,
  runId: string,
  notice: (text: string) => void,
  { env }: Io,
): Promise<Telemetry | undefined> {
  const onFault = once(notice);
  const to = destination(otlp, env);
  if (typeof to === 'string') onFault(to);
  if (typeof to !== 'object') return undefined;
  try {
    const { createSender } = await import('./sender.ts');
    return follow(createSender(to, runId, env, onFault), onFault);
  } catch (error) {
    onFault(messageOf(error));
    return undefined;
  }
}

/** Sends the metrics of a run to the user's collector. A failure never affects the run. */
function follow({ measure, close }: Sender, onFault: (fault: string) => void) {
  const signals = createSignals(measure);

  function send(work: () => void): void {
    try {
      work();
    } catch (error) {
      onFault(messageOf(error));
    }
  }

  return {
    see: (transition: Transition) => send(() => signals.see(transition)),
    decided: (decision: Decision) => send(() => signals.decided(decision)),
    close,
  };
}

function once(notice: (text: string) => void): (fault: string) => void {
  let isReported = false;
  return (fault) => {
    if (!isReported) notice(`telemetry is not sent: ${fault}; the run continues`);
    isReported = true;
  };
}

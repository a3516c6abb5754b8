import { setTimeout as delay } from 'node:timers/promises';
import { buildMessage, contextOf, formatEvent, numberedId, streamEvents } from './answer.ts';
import { type Call, FIRST_CONTEXT, type RecordedRequest, type Scenario } from './scenario.ts';
import { createScratchEnvironment, type ScratchEnvironment } from './scratch-environment.ts';
import { beginStream, countOf, disconnectSignal, type Standin, sendJson, serve } from './server.ts';

const NOTHING_MORE: Call = { text: 'Nothing more to do.' };

/** Runs `work` with a stand-in for the API and an environment that reaches it. Removes both, also if the work fails. */
export async function withStandin<T>(
  scenario: Scenario,
  path: string | undefined,
  work: (standin: Standin, scratch: ScratchEnvironment) => Promise<T>,
): Promise<T> {
  const standin = await startStandin(scenario);
  try {
    const scratch = await createScratchEnvironment({ url: standin.url, path });
    return await work(standin, scratch).finally(scratch.dispose);
  } finally {
    await standin.close();
  }
}

/** Starts a stand-in for the API that gives the answers of a scenario. */
function startStandin({ calls, summary }: Scenario): Promise<Standin> {
  let [mainCalls, messages, tools, mainContext] = [0, 0, 0, FIRST_CONTEXT];
  const nextToolId = () => numberedId('toolu', ++tools);

  function callFor(request: RecordedRequest): Call | undefined {
    if (request.kind === 'summary') return summary?.(request);
    if (request.kind !== 'main') return undefined;
    const index = mainCalls++;
    return typeof calls === 'function' ? calls(request, index) : calls[index];
  }

  return serve(async (request, response) => {
    const { kind, body } = request;
    if (kind === 'count') return sendJson(response, 200, countOf(request));
    const call = callFor(request) ?? NOTHING_MORE;
    if (call.delayMs) await delay(call.delayMs, undefined, { signal: disconnectSignal(response) });
    // claude asks for a summary at the end of the main conversation; the next context is small.
    const lastContext = kind === 'main' || kind === 'summary' ? mainContext : FIRST_CONTEXT;
    const message = buildMessage(call, body, { number: ++messages, lastContext, nextToolId });
    if (kind === 'summary') mainContext = FIRST_CONTEXT;
    if (kind === 'main') mainContext = contextOf(message.usage);
    if (!body.stream) return sendJson(response, 200, message);
    beginStream(response);
    response.end(streamEvents(message).map(formatEvent).join(''));
  });
}

import { fieldsOf, listOf, textOf } from '../../src/core/protocol/fields.ts';
import { createScratchEnvironment } from '../../src/standin/scratch-environment.ts';
import { type JsonLine, promptLine, type RunningProgram, runProgram, startProgram } from '../support/claude.ts';
import { type Standin, startStandin } from '../support/standin/server.ts';
import { distinct, helpNames, type ModelFigures, type ProgramNames, type Surface } from './surface.ts';

const PROTOCOL = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];

/** As people name them in settings and on the command line. */
const ALIASES = ['default', 'opus', 'sonnet', 'haiku', 'opusplan', 'opus[1m]', 'sonnet[1m]'];

const USAGE = { input: 1_000, cacheCreation: 1_000, cacheRead: 1_000, output: 1_000 };

/** What a claude says of itself when it is run and asked, with a stand-in for the API. */
export async function askClaude(claude: string, { models: named, ...names }: ProgramNames): Promise<Surface> {
  const standin = await startStandin({ calls: () => ({ text: 'so', usage: USAGE }) });
  const { env, cwd, dispose } = await createScratchEnvironment({ url: standin.url, path: process.env.PATH });
  const said = async (flag: string) => (await runProgram(claude, [flag], { env, cwd })).stdout.toString();
  const program = startProgram(claude, PROTOCOL, { env, cwd });
  const ask = createAsking(program);
  try {
    await ask({ subtype: 'initialize' });
    program.send(promptLine('begin'));
    const init = await program.waitForLine(({ subtype }) => subtype === 'init');
    const result = await program.waitForLine(({ type }) => type === 'result');
    const context = await ask(CONTEXT);
    const models = await figuresOf(distinct([...named, ...ALIASES]), {
      program,
      ask,
      standin,
      counted: costIn(result),
    });
    program.stdin.end();
    await program.finished;
    return {
      version: (await said('--version')).split(' ')[0] ?? '',
      help: helpNames(await said('--help')),
      init: distinct(Object.keys(init)),
      capabilities: distinct(listOf(init.capabilities).map(String)),
      result: distinct(Object.keys(result)),
      contextUsage: distinct(Object.keys(context)),
      modelUsage: distinct(Object.values(fieldsOf(result.modelUsage)).flatMap((use) => Object.keys(fieldsOf(use)))),
      models,
      ...names,
    };
  } finally {
    program.kill();
    await standin.close();
    await dispose();
  }
}

const CONTEXT = { subtype: 'get_context_usage', detail: 'summary' };

/** Asks over the control channel, and waits for the answer. */
function createAsking(program: RunningProgram) {
  let asked = 0;
  return async (request: object): Promise<JsonLine> => {
    const id = `q${++asked}`;
    program.send({ type: 'control_request', request_id: id, request });
    const { response } = await program.waitForLine((line) => fieldsOf(line.response).request_id === id);
    return fieldsOf(fieldsOf(response).response);
  };
}

interface Asked {
  readonly program: RunningProgram;
  readonly ask: ReturnType<typeof createAsking>;
  readonly standin: Standin;
  /** What claude has counted so far, in US dollars. */
  readonly counted: number;
}

/** A turn with each model. */
async function figuresOf(models: readonly string[], { program, ask, standin, ...begun }: Asked) {
  const figures: Record<string, ModelFigures> = {};
  let { counted } = begun;
  for (const model of models) {
    await ask({ subtype: 'set_model', model });
    const { rawMaxTokens, autoCompactThreshold } = await ask(CONTEXT);
    program.send(promptLine(`with ${model}`));
    const turn = await program.waitForLine(({ type }) => type === 'result');
    const asked = textOf(standin.requests.findLast(({ kind }) => kind === 'main')?.body.model) ?? null;
    const use = useOf(turn, model, asked);
    figures[model] = {
      asked,
      window: numberOf(use.contextWindow ?? rawMaxTokens),
      trigger: numberOf(autoCompactThreshold),
      maxOutput: numberOf(use.maxOutputTokens),
      usd: Math.round((costIn(turn) - counted) * 1_000_000) / 1_000_000,
    };
    counted = costIn(turn);
  }
  return figures;
}

function costIn({ total_cost_usd }: JsonLine): number {
  return Number(total_cost_usd);
}

function useOf({ modelUsage }: JsonLine, ...names: readonly (string | null)[]) {
  const all = fieldsOf(modelUsage);
  return fieldsOf(names.map((name) => all[name ?? '']).find((use) => use !== undefined));
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

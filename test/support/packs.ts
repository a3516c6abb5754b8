import type { Flow, FlowStep } from '../../src/flow/flow.ts';
import type { PackItem } from '../../src/flow/pack/step-block.ts';

/** A step that says nothing but what a test gives it. */
export function flowStep(step: Partial<FlowStep> = {}): FlowStep {
  return {
    id: 'next',
    agent: undefined,
    priority: undefined,
    objective: undefined,
    inputs: [],
    outputs: [],
    teaching: { notes: undefined, emphasis: [], constraints: [] },
    prompt: undefined,
    budgets: {},
    curator: {},
    model: undefined,
    timeoutSeconds: undefined,
    onFail: 'stop',
    ...step,
  };
}

/** A flow of these steps that says nothing but what a test gives it. */
export function flowOf(steps: readonly FlowStep[], flow: Partial<Flow> = {}): Flow {
  const nothing = { profile: undefined, profiles: {}, budgets: {}, curator: {}, scentTrail: undefined };
  return { name: 'flow', ...nothing, steps, ...flow };
}

export function packItem(item: Partial<PackItem> = {}): PackItem {
  return { stepId: 's', agent: undefined, priority: undefined, ok: true, output: '', error: undefined, ...item };
}

/** The lines of a pack's text outside fences. */
export function structureOf(text: string): string[] {
  let fence: string | undefined;
  return text.split('\n').filter((line) => {
    const [mark] = /^`{3,}/.exec(line) ?? [];
    if (fence === undefined) {
      fence = mark;
      return mark === undefined;
    }
    if (line === fence) fence = undefined;
    return false;
  });
}

/** Ids of the steps whose headings stand in a pack, with their marks: `a [OK]`. */
export function headingsOf(text: string): string[] {
  return structureOf(text).flatMap((line) => (line.startsWith('### Step: ') ? [line.slice('### Step: '.length)] : []));
}

import type { Fields } from '../stream/fields.ts';

/** How much of the window is used before something is done, and how much a result may take. */
export type PresetName = (typeof PRESET_NAMES)[number];

export const PRESET_NAMES = ['lean', 'balanced', 'heavy'] as const;

/** What a configuration begins with. `balanced` says what holds by default, so that it can be seen and changed. */
export const PRESETS: Readonly<Record<PresetName, Fields>> = {
  lean: {
    thresholds: { warn: 0.55, compact: 0.65, handoff: 0.75 },
    tools: { perCall: 4000 },
    flow: { preset: 'lean' },
  },
  balanced: {
    thresholds: { warn: 0.7, compact: 0.78, handoff: 0.85 },
    tools: { perCall: 8000 },
    flow: { preset: 'balanced' },
  },
  heavy: {
    thresholds: { warn: 0.76, compact: 0.82, handoff: 0.9 },
    tools: { perCall: 16000 },
    flow: { preset: 'heavy' },
  },
};

/** Headings of a handoff document, in their order. */
export const HANDOFF_SECTIONS = [
  'Goal',
  'Done',
  'In progress',
  'Next steps',
  'Decisions and why',
  'Dead ends',
  'Files',
  'Commands to verify',
] as const;

export type HandoffSection = (typeof HANDOFF_SECTIONS)[number];

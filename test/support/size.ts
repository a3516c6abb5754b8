/** Whether tests of chance and of size take as much as `npm run soak:ci` gives them time for. */
const IS_SOAK = Boolean(process.env.CTXB_SOAK);

/** How much of something a test takes: every day, and in a soak. What a soak has found stands in the tests by name. */
export function sized<T>(everyDay: T, soak: T): T {
  return IS_SOAK ? soak : everyDay;
}

/** The signals by which a user, or what has started ctxb, wants it to end. */
export const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The variable in which claude's children find the inbox of the run they belong to. */
export const INBOX_VARIABLE = 'CTXB_INBOX';

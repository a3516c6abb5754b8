/** The variable in which claude's children find the id of the run they belong to: what it does is not to be done twice. */
export const RUN_VARIABLE = 'CTXB_RUN';

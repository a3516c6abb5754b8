/** Pages of ctxb are known by this line: only such a file is written over. */
export const HTML_MARK = '<meta name="generator" content="ctxb">';

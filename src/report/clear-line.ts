/** Takes the line away that the cursor of a terminal is on. */
export const CLEAR_LINE = '\r\u001b[2K';

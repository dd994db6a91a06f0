/** Results and errors are shortened to this many bytes, so that a finished run fits one write unit. */
export const TEXT_LIMIT = 256;
/** So is a cause beside an error. */
export const CAUSE_LIMIT = 64;

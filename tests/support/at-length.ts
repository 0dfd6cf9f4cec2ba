/** True where what the whole check tries a little of is tried at length, beside whatever else the machine does (`npm run test:long`). */
export const AT_LENGTH = process.env['PDA_AT_LENGTH'] !== undefined;

/** True where other forms of what the whole check tries once are tried too (runs of `npm run test:long` with PDA_THOROUGH=1). */
export const THOROUGH = process.env['PDA_THOROUGH'] !== undefined;

/** The time that a test may take, in milliseconds; at length it has none. */
export const within = (ms: number): number => (AT_LENGTH ? 0 : ms);

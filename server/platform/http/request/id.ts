/** Random prefix that distinguishes the request IDs of two server starts in the log. */
const bootId = Math.random().toString(36).slice(2, 8);
let requestCount = 0;

/** Returns the next request ID, e.g. `k3x9ab-1f`. */
export const nextRequestId = (): string => `${bootId}-${(++requestCount).toString(36)}`;

/** Random prefix that distinguishes the request IDs of different server starts in the log. */
const bootId = Math.random().toString(36).slice(2, 8);
let requestCount = 0;

export const nextRequestId = (): string => `${bootId}-${(++requestCount).toString(36)}`;

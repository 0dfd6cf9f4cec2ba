import { urlOfPda } from './pda-address.ts';
import type { SafeFetch } from './safe-fetch.ts';

/** Milliseconds for the response of a PDA. */
const ANSWER_MS = 5000;
const MAX_ANSWER_BYTES = 20_000;

/**
 * Requests a path of a PDA. Returns the text of a 200 response, or the reason why there is none. The reason is for
 * the log only: callers must not learn what runs at an address without a PDA.
 */
export const requestPda = async (
  fetch: SafeFetch,
  address: string,
  path: string,
  json?: unknown,
): Promise<{ text: string } | { why: string }> => {
  const response = await fetch(`${urlOfPda(address)}${path}`, {
    timeoutMs: ANSWER_MS,
    maxBytes: MAX_ANSWER_BYTES,
    ...(json === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) }),
  });
  if (!response.ok) return { why: response.failure };
  return response.status === 200 ? { text: response.body.toString() } : { why: `status ${response.status}` };
};

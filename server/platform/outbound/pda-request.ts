import { urlOfPda } from './pda-address.ts';
import type { SafeFetch } from './safe-fetch.ts';

const RESPONSE_TIMEOUT_MS = 5000;
const MAX_RESPONSE_BYTES = 20_000;

/**
 * Requests a path of a PDA. `problem` is only for the log: callers must not learn what runs at an address without a
 * PDA.
 */
export const requestPda = async (
  fetch: SafeFetch,
  address: string,
  path: string,
  json?: unknown,
): Promise<{ text: string } | { problem: string }> => {
  const response = await fetch(`${urlOfPda(address)}${path}`, {
    timeoutMs: RESPONSE_TIMEOUT_MS,
    maxBytes: MAX_RESPONSE_BYTES,
    ...(json === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) }),
  });
  if (!response.ok) return { problem: response.failure };
  return response.status === 200 ? { text: response.body.toString() } : { problem: `status ${response.status}` };
};

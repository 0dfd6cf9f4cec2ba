import { urlOfPda } from './pda-address.ts';
import type { SafeFetch } from './safe-fetch.ts';

/** Milliseconds that a PDA has for its answer. */
const ANSWER_MS = 5000;
const MAX_ANSWER_BYTES = 20_000;

/** What a PDA answers at a path, or why there is nothing: for the log, since to whoever named the address all without a PDA look alike. */
export const requestPda = async (
  fetch: SafeFetch,
  address: string,
  path: string,
  json?: unknown,
): Promise<{ text: string } | { why: string }> => {
  const answer = await fetch(`${urlOfPda(address)}${path}`, {
    timeoutMs: ANSWER_MS,
    maxBytes: MAX_ANSWER_BYTES,
    ...(json === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) }),
  });
  if (!answer.ok) return { why: answer.failure };
  return answer.status === 200 ? { text: answer.body.toString() } : { why: `status ${answer.status}` };
};

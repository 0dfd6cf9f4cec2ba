import { queryOptions } from '@tanstack/react-query';
import type { Erasure, ErasureKind, ErasureRequest } from '../../../../server/wire/erasure.ts';
import { call } from '../../../shared/api/client.ts';
import { pause } from '../../../shared/api/pause.ts';
import { queryClient } from '../../../shared/api/query-client.ts';
import { forgetToken } from '../../../shared/api/session.ts';

// Permanent erasure. Query keys begin with the topic of the PDA's change events.

export type {
  BackupEntry,
  Erasure,
  ErasureKind,
  ErasurePreview,
  ErasureReceiver,
} from '../../../../server/wire/erasure.ts';
export { ERASURE_STEPS } from '../../../../server/wire/erasure-steps.ts';

const POLL_INTERVAL_MS = 1000;

export const erasures = queryOptions({
  queryKey: ['erasure', 'list'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/erasures', {}, signal),
  refetchInterval: (query) =>
    query.state.data?.some(({ state }) => state !== 'done') === true ? POLL_INTERVAL_MS : false,
});

export const erasurePreview = (kind: ErasureKind, target: string) =>
  queryOptions({
    queryKey: ['erasure', 'preview', kind, target],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/erasure-preview', { query: { kind, target } }, signal),
    // The owner confirms what this preview shows, so a change event must not refetch it.
    staleTime: 'static',
    gcTime: 0,
    retry: false,
  });

export async function erase(body: ErasureRequest): Promise<Erasure> {
  const erasure = await call('POST /api/v2.6/owner/erasures', { body });
  if (body.kind !== 'everything') await queryClient.invalidateQueries({ queryKey: erasures.queryKey });
  return erasure;
}

const SETUP_POLL_MS = 300;
const SETUP_TIMEOUT_MS = 5 * 60_000;

/**
 * Waits until the PDA can be set up again after an erasure of the whole account, or for about `SETUP_TIMEOUT_MS`. Then
 * ends the session and opens the set-up page.
 */
export async function waitForSetUp(code: string): Promise<void> {
  for (let elapsedMs = 0; elapsedMs < SETUP_TIMEOUT_MS; elapsedMs += SETUP_POLL_MS) {
    await pause(SETUP_POLL_MS);
    try {
      const response = await fetch('/api/v2.6/owner/setup');
      const state: unknown = await response.json();
      if (typeof state === 'object' && state !== null && 'state' in state && state.state === 'waiting') break;
    } catch {
      // The server is restarting.
    }
  }
  forgetToken();
  queryClient.clear();
  window.location.hash = `#/setup?code=${encodeURIComponent(code)}`;
}

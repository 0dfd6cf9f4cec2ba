import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { useEffect } from 'react';
import { pause } from '../../shared/api/pause.ts';
import { fetchAuthorised } from '../../shared/api/client.ts';
import { queryClient, refresh } from '../../shared/api/query-client.ts';
import { createStore } from '../../shared/api/store.ts';
import { toProblem } from '../../shared/api/problem.ts';
import { record } from './queries.ts';
import { isRefreshedOnConnect } from './sharing/preview-query.ts';

// Change events are read with fetch, because EventSource cannot send the token.

/** Minimum interval between refreshes. An import reports changes several times a second. */
const REFRESH_INTERVAL_MS = 2000;
/** Minimum delay before a refresh, so that events that arrive together cause only one. */
const MIN_REFRESH_DELAY_MS = 150;
const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;

const isConnectedStore = createStore(true);

const changedEndpoints = new Set<string>();
const topics = new Set<string>();
let timer: ReturnType<typeof setTimeout> | undefined;
let refreshedAt = 0;

/** Refetches the open record, with its versions, unless its endpoint is known to be unchanged. */
function refreshOpenRecord(endpoints: ReadonlySet<string>): void {
  void queryClient.invalidateQueries({
    queryKey: ['record'],
    predicate: ({ queryKey: [, id] }) => {
      const openRecord = queryClient.getQueryData(record(String(id)).queryKey);
      return openRecord === undefined || endpoints.has(openRecord.endpoint);
    },
  });
}

function refreshSoon(): void {
  if (timer !== undefined) return;
  const delayMs = Math.max(MIN_REFRESH_DELAY_MS, refreshedAt + REFRESH_INTERVAL_MS - Date.now());
  timer = setTimeout(() => {
    timer = undefined;
    refreshedAt = Date.now();
    void refresh('endpoints', 'activity', 'timeline');
    for (const endpoint of changedEndpoints) {
      void queryClient.invalidateQueries({ queryKey: ['records', endpoint] });
      void queryClient.invalidateQueries({ queryKey: ['fields', endpoint] });
    }
    refreshOpenRecord(changedEndpoints);
    changedEndpoints.clear();
    void refresh(...topics);
    topics.clear();
  }, delayMs);
}

function handleEvent({ event: name, data }: EventSourceMessage): void {
  if (name !== 'records' && name !== 'changed') return;
  const event: unknown = JSON.parse(data);
  if (typeof event !== 'object' || event === null) return;
  if ('endpoint' in event) changedEndpoints.add(String(event.endpoint));
  // Query keys begin with the topic of their change events.
  if ('topic' in event) topics.add(String(event.topic));
  // The status of an application depends on its Data Debit.
  if (topics.has('debits')) topics.add('applications');
  // A claimed Offer's state depends on its Data Debit; the open Offers depend on the registration.
  if (topics.has('debits') || topics.has('network')) topics.add('offers');
  // Applications join and leave contracts, and the use of a contract is counted in the access log.
  if (topics.has('applications') || topics.has('ledger')) topics.add('contracts');
  refreshSoon();
}

async function listen(signal: AbortSignal): Promise<void> {
  const response = await fetchAuthorised('/api/v2.6/owner/events', {
    signal,
    headers: { accept: 'text/event-stream' },
  });
  isConnectedStore.set(true);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  const parser = createParser({ onEvent: handleEvent });
  let isFirstChunk = true;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    // The stream does not report earlier changes, so results that were fetched before it opened may be stale. Page
    // previews are not refetched: new content resets the frame, and a new tab would fetch each preview twice.
    if (isFirstChunk) void queryClient.invalidateQueries({ predicate: isRefreshedOnConnect });
    isFirstChunk = false;
    parser.feed(value);
  }
}

async function stayConnected(signal: AbortSignal): Promise<void> {
  let waitMs = FIRST_RETRY_MS;
  while (!signal.aborted) {
    const startedAt = Date.now();
    try {
      await listen(signal);
    } catch (error) {
      if (signal.aborted || toProblem(error).status === 401) return;
      if (toProblem(error).code === 'unreachable') isConnectedStore.set(false);
    }
    if (Date.now() - startedAt > MAX_RETRY_MS) waitMs = FIRST_RETRY_MS;
    await pause(waitMs, signal);
    waitMs = Math.min(MAX_RETRY_MS, waitMs * 2);
  }
}

/** Refetches queries when the PDA reports changes, while the component is mounted. */
export function useLiveChanges(): void {
  useEffect(() => {
    const controller = new AbortController();
    void stayConnected(controller.signal);
    return () => controller.abort();
  }, []);
}

/** Returns false while the PDA does not respond. */
export const useIsConnected = isConnectedStore.useValue;

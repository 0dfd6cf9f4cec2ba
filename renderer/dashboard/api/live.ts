import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { useEffect, useSyncExternalStore } from 'react';
import { pause } from '../../shared/api/pause.ts';
import { fetchAuthorised } from '../../shared/api/client.ts';
import { queryClient } from '../../shared/api/query-client.ts';
import { toProblem } from '../../shared/api/problem.ts';

/** Change events of the PDA. Read with fetch because EventSource cannot send the token. */

/** Milliseconds between refreshes. An import reports changes several times a second. */
const REFRESH_INTERVAL_MS = 2000;
const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;

let connected = true;
const listeners = new Set<() => void>();

function setConnected(next: boolean): void {
  if (connected === next) return;
  connected = next;
  for (const listener of listeners) listener();
}

const changedEndpoints = new Set<string>();
const topics = new Set<string>();
let timer: ReturnType<typeof setTimeout> | undefined;
let refreshedAt = 0;

function refreshSoon(): void {
  if (timer !== undefined) return;
  const wait = Math.max(150, refreshedAt + REFRESH_INTERVAL_MS - Date.now());
  timer = setTimeout(() => {
    timer = undefined;
    refreshedAt = Date.now();
    void queryClient.invalidateQueries({ queryKey: ['endpoints'] });
    void queryClient.invalidateQueries({ queryKey: ['activity'] });
    void queryClient.invalidateQueries({ queryKey: ['feed'] });
    for (const endpoint of changedEndpoints) {
      void queryClient.invalidateQueries({ queryKey: ['records', endpoint] });
      void queryClient.invalidateQueries({ queryKey: ['fields', endpoint] });
    }
    changedEndpoints.clear();
    for (const topic of topics) void queryClient.invalidateQueries({ queryKey: [topic] });
    topics.clear();
  }, wait);
}

function handleEvent({ event: name, data }: EventSourceMessage): void {
  if (name !== 'records' && name !== 'changed') return;
  const event: unknown = JSON.parse(data);
  if (typeof event !== 'object' || event === null) return;
  if ('endpoint' in event) changedEndpoints.add(String(event.endpoint));
  // Queries about debits, applications and so on begin their keys with the topic.
  if ('topic' in event) topics.add(String(event.topic));
  // Whether an application works depends on its Data Debit.
  if (topics.has('debits')) topics.add('applications');
  // The state of a claimed Offer follows its Data Debit; the open Offers depend on the registration.
  if (topics.has('debits') || topics.has('network')) topics.add('offers');
  // Applications join and leave contracts, and the use of contracts is counted from the access log.
  if (topics.has('applications') || topics.has('ledger')) topics.add('contracts');
  refreshSoon();
}

async function listen(signal: AbortSignal): Promise<void> {
  const response = await fetchAuthorised('/api/v2.6/owner/events', {
    signal,
    headers: { accept: 'text/event-stream' },
  });
  setConnected(true);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  const parser = createParser({ onEvent: handleEvent });
  let isFirst = true;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    // Changes before the stream was open are only found by refetching, after its first bytes: results fetched
    // while the connection was being established may already be stale.
    if (isFirst) void queryClient.invalidateQueries();
    isFirst = false;
    parser.feed(value);
  }
}

async function stayConnected(signal: AbortSignal): Promise<void> {
  let wait = FIRST_RETRY_MS;
  while (!signal.aborted) {
    const startedAt = Date.now();
    try {
      await listen(signal);
    } catch (error) {
      if (signal.aborted || toProblem(error).status === 401) return;
      if (toProblem(error).code === 'unreachable') setConnected(false);
    }
    wait = Date.now() - startedAt > MAX_RETRY_MS ? FIRST_RETRY_MS : Math.min(MAX_RETRY_MS, wait * 2);
    await pause(wait, signal);
  }
}

export function useLiveChanges(): void {
  useEffect(() => {
    const stop = new AbortController();
    void stayConnected(stop.signal);
    return () => stop.abort();
  }, []);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns false while the PDA does not respond. */
export function useConnected(): boolean {
  return useSyncExternalStore(subscribe, () => connected);
}

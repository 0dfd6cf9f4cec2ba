import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { useEffect, useSyncExternalStore } from 'react';
import { pause } from '../../shared/api/pause.ts';
import { fetchAuthorised } from '../../shared/api/client.ts';
import { queryClient } from '../../shared/api/query-client.ts';
import { toProblem } from '../../shared/api/problem.ts';

/** The PDA tells what changes while the dashboard is open. Read through fetch, since EventSource cannot send the token. */

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

const changed = new Set<string>();
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
    for (const endpoint of changed) void queryClient.invalidateQueries({ queryKey: ['records', endpoint] });
    changed.clear();
    for (const topic of topics) void queryClient.invalidateQueries({ queryKey: [topic] });
    topics.clear();
  }, wait);
}

function take({ event: name, data }: EventSourceMessage): void {
  if (name !== 'records' && name !== 'changed') return;
  const event: unknown = JSON.parse(data);
  if (typeof event !== 'object' || event === null) return;
  if ('endpoint' in event) changed.add(String(event.endpoint));
  // Queries about debits, applications and so on begin their keys with the topic.
  if ('topic' in event) topics.add(String(event.topic));
  // Whether an application works depends on its Data Debit.
  if (topics.has('debits')) topics.add('applications');
  // What a claimed Offer has come to is what became of its Data Debit; which ones are open depends on the registration.
  if (topics.has('debits') || topics.has('network')) topics.add('offers');
  // Contracts are joined and left by their applications, and their use is counted from the ledger.
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
  const parser = createParser({ onEvent: take });
  let isFirst = true;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    // What changed before anybody listened is only found by asking, and that from the first word on: what was asked
    // for while the line was still being made may be as old as the page.
    if (isFirst) void queryClient.invalidateQueries();
    isFirst = false;
    parser.feed(value);
  }
}

async function stayConnected(signal: AbortSignal): Promise<void> {
  let wait = FIRST_RETRY_MS;
  while (!signal.aborted) {
    const began = Date.now();
    try {
      await listen(signal);
    } catch (error) {
      if (signal.aborted || toProblem(error).status === 401) return;
      if (toProblem(error).code === 'unreachable') setConnected(false);
    }
    wait = Date.now() - began > MAX_RETRY_MS ? FIRST_RETRY_MS : Math.min(MAX_RETRY_MS, wait * 2);
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

/** False while the PDA does not answer at all. */
export function useConnected(): boolean {
  return useSyncExternalStore(subscribe, () => connected);
}

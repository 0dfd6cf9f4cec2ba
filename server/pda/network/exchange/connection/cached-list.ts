import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import type { Clock } from '../../../../platform/clock.ts';
import type { Log } from '../../../../platform/log.ts';
import type { Transaction, Writer } from '../../../storage/index.ts';
import { jsonOf, problemOf, type ExchangeClient } from './client.ts';
import { isRequestDue, readDelayMs, retryDelayMs } from '../rules.ts';
import type { ExchangeSettings } from './settings.ts';
import type { Registration } from './registration.ts';
import type { ExchangeStore, ListName } from '../store.ts';

/** Stored copy of a list from the exchange, without invalid or duplicate entries. A failed read does not change it. */
export type ExchangeList<T> = {
  items(): readonly T[];
  /** Returns Unix milliseconds of the last successful read; null if there was none. */
  readAt(): number | null;
  problem(): string | null;
  /** Clears cache, problem and schedule. Must be called if the exchange changes or the stored list is deleted. */
  clear(): void;
  /** Concurrent callers share one request. */
  refresh(): Promise<void>;
  /** Starts another read after the read in progress, whose response may be older than a change at the exchange. */
  refreshAgain(): Promise<void>;
  refreshIfOlder(ms: number): Promise<void>;
  refreshIfDue(): Promise<void>;
};

export type ListDefinition<T> = {
  name: ListName;
  path: string;
  entry: z.ZodType<T>;
  /** Returns the key of an entry. Later entries with the same key are omitted. */
  key: (entry: T) => string;
  maxBytes: number;
  maxEntries: number;
  intervalMs: number;
  /** While this PDA is not registered, the list is not read (`required`) or is read without a token (`optional`). */
  token: 'required' | 'optional';
  extractEntries?: (response: unknown) => unknown;
  /** Called in the transaction that stores a changed list. */
  onChange?: (tx: Transaction, entries: readonly T[], exchange: string) => void;
};

export type ListParts = {
  store: ExchangeStore;
  writer: Writer;
  client: ExchangeClient;
  settings: ExchangeSettings;
  registration: Registration;
  publish: (tx: Transaction) => void;
  clock: Clock;
  log: Log;
  random: () => number;
  signal: AbortSignal;
};

const ENTRIES_PER_YIELD = 25;
const LIST_TIMEOUT_MS = 15_000;

export const createExchangeList = <T>(parts: ListParts, definition: ListDefinition<T>): ExchangeList<T> => {
  const { store, writer, client, settings, registration, clock, log, random } = parts;
  const { name, maxEntries } = definition;
  const maxDelayMs = definition.intervalMs * 1.25;
  let cache: { exchange: string; items: readonly T[] } | undefined;
  let currentRead: Promise<void> | undefined;
  let problem: string | null = null;
  let attempts = 0;
  /** Unix milliseconds; undefined if the stored list decides when the next read is due. */
  let nextReadAt: number | undefined;
  let clears = 0;

  const load = (): readonly T[] => {
    const exchange = settings.exchange();
    if (exchange === undefined) return [];
    if (cache?.exchange !== exchange.url) {
      const row = store.list(exchange.url, name);
      // Entries were validated before they were stored.
      cache = { exchange: exchange.url, items: row === undefined ? [] : (JSON.parse(row.body) as T[]) };
    }
    return cache.items;
  };

  const validate = async (entries: readonly unknown[]): Promise<T[]> => {
    const validEntries = new Map<string, T>();
    let omittedCount = 0;
    for (const [index, entry] of entries.entries()) {
      if (index % ENTRIES_PER_YIELD === ENTRIES_PER_YIELD - 1) await nextTurn();
      const result = definition.entry.safeParse(entry);
      const key = result.success ? definition.key(result.data) : undefined;
      if (!result.success || key === undefined || validEntries.has(key)) omittedCount += 1;
      else validEntries.set(key, result.data);
    }
    if (omittedCount > 0) {
      const counts = { omitted: omittedCount, of: entries.length };
      log.warn({ list: name, ...counts }, 'a list of the exchange has invalid or duplicate entries');
    }
    return [...validEntries.values()];
  };

  const read = async (): Promise<string | null> => {
    const exchange = settings.exchange();
    if (exchange === undefined) return null;
    const identity = registration.identity();
    if (identity === undefined && definition.token === 'required')
      return 'This PDA is not registered with the exchange.';
    const storedRow = store.list(exchange.url, name);
    const etag = storedRow?.etag ?? null;
    const call = {
      path: definition.path,
      timeoutMs: LIST_TIMEOUT_MS,
      maxBytes: definition.maxBytes,
      signal: parts.signal,
      ...(etag === null ? {} : { headers: { 'if-none-match': etag } }),
    };
    const result = await client.call(exchange, call, identity);
    if (result.ok && result.status === 401 && identity !== undefined) await registration.markForRefresh();
    if (result.ok && result.status === 304 && storedRow !== undefined) {
      await writer.write((tx) => store.setRead(tx, exchange.url, name, clock.now()));
      return null;
    }
    if (!result.ok || result.status !== 200) return problemOf(result);
    const response = jsonOf(result.body);
    const entries = definition.extractEntries === undefined ? response : definition.extractEntries(response);
    if (!Array.isArray(entries)) return 'The response of the exchange is not a list.';
    if (entries.length > maxEntries) return `The list of the exchange has more than ${maxEntries} entries.`;
    const items = await validate(entries);
    const body = JSON.stringify(items);
    await writer.write((tx) => {
      // The owner may have chosen another exchange, or left this one, during the read.
      const current = settings.exchangeWithin(tx);
      if (current.url !== exchange.url || (definition.token === 'required' && !current.participates)) return;
      const hasChanged = body !== store.list(exchange.url, name)?.body;
      const newEtag = result.headers['etag']?.slice(0, 200) ?? null;
      store.putList(tx, { exchange: exchange.url, list: name, etag: newEtag, read: clock.now(), body });
      if (!hasChanged) return;
      definition.onChange?.(tx, items, exchange.url);
      parts.publish(tx);
      tx.afterCommit(() => {
        // The entries keep their identity until the list changes, so that derived values can be cached by entry.
        cache = { exchange: exchange.url, items };
      });
    });
    return null;
  };

  const refresh = (): Promise<void> => {
    const clearsBefore = clears;
    currentRead ??= read()
      .catch((error: unknown) => {
        log.warn({ err: error, list: name }, 'a list of the exchange could not be stored');
        return 'The list of the exchange could not be stored.';
      })
      .then((readProblem) => {
        currentRead = undefined;
        // A read that began before `clear` must neither report a problem nor delay the next read.
        if (clears !== clearsBefore) return;
        problem = readProblem;
        attempts = problem === null ? 0 : attempts + 1;
        const delayMs =
          problem === null ? readDelayMs(definition.intervalMs, random()) : retryDelayMs(attempts, random());
        nextReadAt = clock.now() + Math.min(delayMs, maxDelayMs);
      });
    return currentRead;
  };

  const readAt = (): number | null => {
    const exchange = settings.exchange();
    return exchange === undefined ? null : (store.list(exchange.url, name)?.read ?? null);
  };

  return {
    items: load,
    readAt,
    problem: () => problem,
    clear() {
      clears += 1;
      cache = undefined;
      problem = null;
      attempts = 0;
      nextReadAt = undefined;
    },
    refresh,
    async refreshAgain() {
      await currentRead;
      await refresh();
    },
    async refreshIfOlder(ms) {
      const lastReadAt = readAt();
      const isOld = lastReadAt === null || Math.abs(clock.now() - lastReadAt) >= ms;
      if (settings.exchange() !== undefined && isOld) await refresh();
    },
    async refreshIfDue() {
      if (settings.exchange() === undefined) return;
      const lastReadAt = readAt();
      const dueAt = nextReadAt ?? (lastReadAt === null ? 0 : lastReadAt + definition.intervalMs);
      if (isRequestDue(dueAt, clock.now(), maxDelayMs)) await refresh();
    },
  };
};

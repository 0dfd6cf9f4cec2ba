import type { z } from 'zod';
import type { Clock } from '../../../../platform/clock.ts';
import type { Log } from '../../../../platform/log.ts';
import type { Transaction, Writer } from '../../../storage/index.ts';
import { jsonOf, problemOf, type ExchangeClient } from './client.ts';
import { nextRead, retryAfter } from '../rules.ts';
import type { Choices } from './settings.ts';
import type { Registration } from './registration.ts';
import type { ExchangeStore, ListName } from '../store.ts';

/**
 * A list that the exchange keeps, as this PDA read it last. What is wrong in it is left out entry by entry; while the exchange cannot be
 * reached, or answers something else, the last good one stays.
 */
export type ExchangeList<T> = {
  items(): readonly T[];
  /** Unix milliseconds of the last time it was read. */
  readAt(): number | null;
  /** Why the last try failed. */
  problem(): string | null;
  /** What was kept is gone from the disk. */
  forget(): void;
  /** Reads it now; callers who ask at once share one call. */
  refresh(): Promise<void>;
  /** The same for who knows of something newer: a call that is under way may have been answered before that. */
  renew(): Promise<void>;
  /** The same, unless it was read less than so many milliseconds ago. */
  refreshIfOlder(ms: number): Promise<void>;
  /** The same when its time has come. */
  refreshIfDue(): Promise<void>;
};

export type ListDefinition<T> = {
  name: ListName;
  path: string;
  entry: z.ZodType<T>;
  /** Entries that are one: a later one with the same key is left out. */
  key: (entry: T) => string;
  maxBytes: number;
  maxEntries: number;
  /** Milliseconds between two reads. */
  every: number;
  /** `wanted`: without a registration it is not asked for; `if-there`: asked for as nobody then. */
  token: 'wanted' | 'if-there';
  /** Where the entries are in the answer. */
  within?: (answer: unknown) => unknown;
  /** Hears of a list that is another than before, in the transaction that keeps it. */
  changed?: (tx: Transaction, entries: readonly T[], exchange: string) => void;
};

export type ListParts = {
  store: ExchangeStore;
  writer: Writer;
  client: ExchangeClient;
  choices: Choices;
  registration: Registration;
  tell: (tx: Transaction) => void;
  clock: Clock;
  log: Log;
  random: () => number;
  signal: AbortSignal;
};

/** Entries that are checked before others have a turn. */
const TURN = 25;
/** Milliseconds for the answer. */
const LIST_MS = 15_000;

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export const createExchangeList = <T>(parts: ListParts, definition: ListDefinition<T>): ExchangeList<T> => {
  const { store, writer, client, choices, registration, clock, log, random } = parts;
  const { name, maxEntries } = definition;
  let kept: { exchange: string; items: readonly T[] } | undefined;
  let running: Promise<void> | undefined;
  let problem: string | null = null;
  let attempts = 0;
  let next = { exchange: '', at: 0 };

  const current = () => choices.exchange();

  const load = (): readonly T[] => {
    const exchange = current();
    if (exchange === undefined) return [];
    if (kept?.exchange !== exchange.url) {
      const row = store.list(exchange.url, name);
      // What is in there passed the check before it was written.
      kept = { exchange: exchange.url, items: row === undefined ? [] : (JSON.parse(row.body) as T[]) };
    }
    return kept.items;
  };

  const checked = async (entries: readonly unknown[]): Promise<T[]> => {
    const good = new Map<string, T>();
    let bad = 0;
    for (const [index, entry] of entries.entries()) {
      if (index % TURN === TURN - 1) await nextTurn();
      const result = definition.entry.safeParse(entry);
      const key = result.success ? definition.key(result.data) : undefined;
      if (!result.success || key === undefined || good.has(key)) bad += 1;
      else good.set(key, result.data);
    }
    if (bad > 0)
      log.warn({ list: name, leftOut: bad, of: entries.length }, 'entries of a list of the exchange are not valid');
    return [...good.values()];
  };

  /** @returns why it came to nothing */
  const read = async (): Promise<string | null> => {
    const exchange = current();
    if (exchange === undefined) return null;
    const as = registration.as();
    if (as === undefined && definition.token === 'wanted') return 'This PDA is not registered with the exchange.';
    const before = store.list(exchange.url, name);
    const etag = before?.etag ?? null;
    const wanted = {
      path: definition.path,
      timeoutMs: LIST_MS,
      maxBytes: definition.maxBytes,
      signal: parts.signal,
      ...(etag === null ? {} : { headers: { 'if-none-match': etag } }),
    };
    const result = await client.call(exchange, wanted, as);
    if (result.ok && result.status === 401 && as !== undefined) await registration.doubt();
    if (result.ok && result.status === 304 && before !== undefined) {
      await writer.write((tx) => store.setRead(tx, exchange.url, name, clock.now()));
      return null;
    }
    if (!result.ok || result.status !== 200) return problemOf(result);
    const answer = jsonOf(result.body);
    const entries = definition.within === undefined ? answer : definition.within(answer);
    if (!Array.isArray(entries)) return 'It answered something that is no list.';
    if (entries.length > maxEntries) return `Its list has more than ${maxEntries} entries.`;
    const items = await checked(entries);
    const body = JSON.stringify(items);
    const isNew = body !== before?.body;
    await writer.write((tx) => {
      // The owner may have chosen another one while this was being read.
      if (current()?.url !== exchange.url) return;
      const tag = result.headers['etag']?.slice(0, 200) ?? null;
      store.putList(tx, { exchange: exchange.url, list: name, etag: tag, read: clock.now(), body });
      if (!isNew) return;
      definition.changed?.(tx, items, exchange.url);
      parts.tell(tx);
      tx.afterCommit(() => {
        // The same objects until the list changes: what is worked out from them is kept by them.
        kept = { exchange: exchange.url, items };
      });
    });
    return null;
  };

  const refresh = (): Promise<void> => {
    running ??= read()
      .then((found) => {
        problem = found;
      })
      .catch((error: unknown) => {
        log.warn({ err: error, list: name }, 'a list of the exchange could not be kept');
        problem = 'It could not be kept.';
      })
      .finally(() => {
        running = undefined;
        attempts = problem === null ? 0 : attempts + 1;
        const wait = problem === null ? nextRead(definition.every, random()) : retryAfter(attempts, random());
        next = { exchange: current()?.url ?? '', at: clock.now() + Math.min(wait, definition.every * 1.25) };
      });
    return running;
  };

  const readAt = (): number | null => {
    const exchange = current();
    return exchange === undefined ? null : (store.list(exchange.url, name)?.read ?? null);
  };

  return {
    items: load,
    readAt,
    problem: () => problem,
    forget() {
      kept = undefined;
      problem = null;
      next = { exchange: '', at: 0 };
    },
    refresh,
    async renew() {
      await running;
      await refresh();
    },
    async refreshIfOlder(ms) {
      const at = readAt();
      if (current() !== undefined && (at === null || Math.abs(clock.now() - at) >= ms)) await refresh();
    },
    async refreshIfDue() {
      const exchange = current();
      if (exchange === undefined) return;
      const at = readAt();
      const isDue =
        next.exchange === exchange.url ? clock.now() >= next.at : at === null || clock.now() >= at + definition.every;
      if (isDue) await refresh();
    },
  };
};

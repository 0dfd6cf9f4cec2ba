import type { Clock } from '../../../platform/clock.ts';
import type { SafeFetch } from '../../../platform/outbound/safe-fetch.ts';
import { MAX_PICTURE_BYTES, PICTURE_ANSWER_MS } from '../../../wire/limits.ts';
import { pictureType, type PictureType } from './rules.ts';

export type Picture = { type: PictureType; bytes: Buffer };

export type PictureService = {
  /** Fetches a picture. Returns undefined if the address has no picture of a supported type. */
  fetch(url: string): Promise<Picture | undefined>;
};

/** Milliseconds for which a picture is cached. */
const PICTURE_TTL_MS = 86_400_000;
/** Milliseconds for which a failure is cached. */
const FAILURE_TTL_MS = 60_000;
const CACHE_MAX_BYTES = 16_000_000;
const CACHE_MAX_ENTRIES = 300;
const MAX_CONCURRENT_FETCHES = 6;

type CacheEntry = { picture: Picture | undefined; at: number };

export const createPictureService = (parts: { safeFetch: SafeFetch; clock: Clock }): PictureService => {
  const { safeFetch, clock } = parts;
  /** LRU cache: the most recently used entry is last. */
  const cache = new Map<string, CacheEntry>();
  let cachedBytes = 0;
  const inFlight = new Map<string, Promise<Picture | undefined>>();
  const waitQueue: (() => void)[] = [];
  let running = 0;

  const evict = (url: string): void => {
    cachedBytes -= cache.get(url)?.picture?.bytes.length ?? 0;
    cache.delete(url);
  };

  const store = (url: string, picture: Picture | undefined): void => {
    evict(url);
    cache.set(url, { picture, at: clock.now() });
    cachedBytes += picture?.bytes.length ?? 0;
    for (const oldest of cache.keys()) {
      if (cachedBytes <= CACHE_MAX_BYTES && cache.size <= CACHE_MAX_ENTRIES) break;
      evict(oldest);
    }
  };

  const cachedEntry = (url: string): CacheEntry | undefined => {
    const entry = cache.get(url);
    if (entry === undefined) return undefined;
    // The absolute value, so that a clock that is set back does not extend the lifetime.
    if (Math.abs(clock.now() - entry.at) >= (entry.picture === undefined ? FAILURE_TTL_MS : PICTURE_TTL_MS)) {
      evict(url);
      return undefined;
    }
    cache.delete(url);
    cache.set(url, entry);
    return entry;
  };

  const load = async (url: string): Promise<Picture | undefined> => {
    // A finished fetch hands its slot to the next waitQueue one without decrementing the counter.
    if (running >= MAX_CONCURRENT_FETCHES) await new Promise<void>((resolve) => waitQueue.push(resolve));
    else running += 1;
    try {
      // The request carries no data of the caller: no cookie, no address, no referrer.
      const response = await safeFetch(url, {
        headers: { accept: 'image/*' },
        timeoutMs: PICTURE_ANSWER_MS,
        maxBytes: MAX_PICTURE_BYTES,
      });
      if (!response.ok || response.status !== 200) return undefined;
      const type = pictureType(response.body);
      return type === undefined ? undefined : { type, bytes: response.body };
    } finally {
      const next = waitQueue.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };

  const loadAndStore = async (url: string): Promise<Picture | undefined> => {
    try {
      const picture = await load(url);
      store(url, picture);
      return picture;
    } finally {
      inFlight.delete(url);
    }
  };

  return {
    async fetch(url) {
      const entry = cachedEntry(url);
      if (entry !== undefined) return entry.picture;
      const loading = inFlight.get(url) ?? loadAndStore(url);
      inFlight.set(url, loading);
      return loading;
    },
  };
};

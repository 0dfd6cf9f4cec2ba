import type { Clock } from '../../../platform/clock.ts';
import type { SafeFetch } from '../../../platform/outbound/safe-fetch.ts';
import { MAX_PICTURE_BYTES, PICTURE_TIMEOUT_MS } from '../../../wire/limits.ts';
import { detectPictureType } from './rules.ts';

/** `type`: media type. */
type Picture = { type: string; bytes: Buffer };

export type PictureService = ReturnType<typeof createPictureService>;

const PICTURE_TTL_MS = 86_400_000;
const FAILURE_TTL_MS = 60_000;
const CACHE_MAX_BYTES = 16_000_000;
const CACHE_MAX_ENTRIES = 300;
const MAX_CONCURRENT_FETCHES = 6;

/** `picture`: undefined for a failure. `at`: Unix milliseconds. */
type CacheEntry = { picture: Picture | undefined; at: number };

export const createPictureService = ({ safeFetch, clock }: { safeFetch: SafeFetch; clock: Clock }) => {
  /** LRU cache. The most recently used entry is last. */
  const cache = new Map<string, CacheEntry>();
  let cachedBytes = 0;
  const inFlight = new Map<string, Promise<Picture | undefined>>();
  const waitQueue: (() => void)[] = [];
  let activeFetches = 0;

  const evict = (url: string): void => {
    cachedBytes -= cache.get(url)?.picture?.bytes.length ?? 0;
    cache.delete(url);
  };

  const addToCache = (url: string, picture: Picture | undefined): void => {
    evict(url);
    cache.set(url, { picture, at: clock.now() });
    cachedBytes += picture?.bytes.length ?? 0;
    for (const oldest of cache.keys()) {
      if (cachedBytes <= CACHE_MAX_BYTES && cache.size <= CACHE_MAX_ENTRIES) break;
      evict(oldest);
    }
  };

  const findCached = (url: string): CacheEntry | undefined => {
    const entry = cache.get(url);
    if (entry === undefined) return undefined;
    // The absolute value limits the lifetime if the clock is set back.
    if (Math.abs(clock.now() - entry.at) >= (entry.picture === undefined ? FAILURE_TTL_MS : PICTURE_TTL_MS)) {
      evict(url);
      return undefined;
    }
    cache.delete(url);
    cache.set(url, entry);
    return entry;
  };

  const fetchPicture = async (url: string): Promise<Picture | undefined> => {
    // A finished fetch passes its slot to the next one in the queue without changing the counter.
    if (activeFetches >= MAX_CONCURRENT_FETCHES) await new Promise<void>((resolve) => waitQueue.push(resolve));
    else activeFetches += 1;
    try {
      // Sends no data of the client: no cookie, no address and no referrer.
      const response = await safeFetch(url, {
        headers: { accept: 'image/*' },
        timeoutMs: PICTURE_TIMEOUT_MS,
        maxBytes: MAX_PICTURE_BYTES,
      });
      if (!response.ok || response.status !== 200) return undefined;
      const type = detectPictureType(response.body);
      return type === undefined ? undefined : { type, bytes: response.body };
    } finally {
      const next = waitQueue.shift();
      if (next === undefined) activeFetches -= 1;
      else next();
    }
  };

  const fetchAndStore = async (url: string): Promise<Picture | undefined> => {
    try {
      const picture = await fetchPicture(url);
      addToCache(url, picture);
      return picture;
    } finally {
      inFlight.delete(url);
    }
  };

  return {
    /** Returns undefined if no picture of a supported type can be fetched from the address. */
    async fetch(url: string): Promise<Picture | undefined> {
      const entry = findCached(url);
      if (entry !== undefined) return entry.picture;
      const pendingPicture = inFlight.get(url) ?? fetchAndStore(url);
      inFlight.set(url, pendingPicture);
      return pendingPicture;
    },
  };
};

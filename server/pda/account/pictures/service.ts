import type { Clock } from '../../../platform/clock.ts';
import type { SafeFetch } from '../../../platform/outbound/safe-fetch.ts';
import { MAX_PICTURE_BYTES, PICTURE_ANSWER_MS } from '../../../wire/limits.ts';
import { pictureType, type PictureType } from './rules.ts';

export type Picture = { type: PictureType; bytes: Buffer };

export type PictureService = {
  /** Undefined when there is none at that address, or none that we show. */
  fetch(url: string): Promise<Picture | undefined>;
};

/** Milliseconds for which a picture is kept. */
const KEEP_MS = 86_400_000;
/** Milliseconds for which an address without one is not asked again. */
const KEEP_FAILURE_MS = 60_000;
/** Bytes and number of what is kept. */
const KEEP_BYTES = 16_000_000;
const KEEP_ENTRIES = 300;
/** Pictures that are fetched at once. */
const AT_ONCE = 6;

type Kept = { picture: Picture | undefined; at: number };

export const createPictureService = (parts: { safeFetch: SafeFetch; clock: Clock }): PictureService => {
  const { safeFetch, clock } = parts;
  /** The one that was looked at last is at the end. */
  const kept = new Map<string, Kept>();
  let keptBytes = 0;
  const underWay = new Map<string, Promise<Picture | undefined>>();
  const waiting: (() => void)[] = [];
  let running = 0;

  const forget = (url: string): void => {
    keptBytes -= kept.get(url)?.picture?.bytes.length ?? 0;
    kept.delete(url);
  };

  const keep = (url: string, picture: Picture | undefined): void => {
    forget(url);
    kept.set(url, { picture, at: clock.now() });
    keptBytes += picture?.bytes.length ?? 0;
    for (const oldest of kept.keys()) {
      if (keptBytes <= KEEP_BYTES && kept.size <= KEEP_ENTRIES) break;
      forget(oldest);
    }
  };

  const known = (url: string): Kept | undefined => {
    const entry = kept.get(url);
    if (entry === undefined) return undefined;
    // A clock that was set back must not keep a picture for longer.
    if (Math.abs(clock.now() - entry.at) >= (entry.picture === undefined ? KEEP_FAILURE_MS : KEEP_MS)) {
      forget(url);
      return undefined;
    }
    kept.delete(url);
    kept.set(url, entry);
    return entry;
  };

  const load = async (url: string): Promise<Picture | undefined> => {
    // A place is handed over, not given back, while others wait for one.
    if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      // Nothing of the caller goes along: no cookie, no address, no page that it came from.
      const answer = await safeFetch(url, {
        headers: { accept: 'image/*' },
        timeoutMs: PICTURE_ANSWER_MS,
        maxBytes: MAX_PICTURE_BYTES,
      });
      if (!answer.ok || answer.status !== 200) return undefined;
      const type = pictureType(answer.body);
      return type === undefined ? undefined : { type, bytes: answer.body };
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };

  const loadAndKeep = async (url: string): Promise<Picture | undefined> => {
    try {
      const picture = await load(url);
      keep(url, picture);
      return picture;
    } finally {
      underWay.delete(url);
    }
  };

  return {
    async fetch(url) {
      const entry = known(url);
      if (entry !== undefined) return entry.picture;
      const loading = underWay.get(url) ?? loadAndKeep(url);
      underWay.set(url, loading);
      return loading;
    },
  };
};

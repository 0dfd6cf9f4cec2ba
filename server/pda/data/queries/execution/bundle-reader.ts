import type { NonOwnerReader, RecordReads } from '../../../../platform/auth/access-trace.ts';
import { GUEST_READ_MS, OWNER_READ_MS } from '../../../../wire/limits.ts';
import type { BundleProperty } from '../../../../wire/query.ts';
import { holdsPlace, NO_PLACES, release, unite, type Places } from '../../../core/seq-set.ts';
import { bundlePieces, piecewise, started, type LongAnswer, type Text } from './record-stream.ts';
import { ReadLimitError } from '../language/read-budget.ts';
import { asReadFailure } from '../../../../platform/workers/read-limit-failure.ts';
import type { ReadEntry } from './row-serializer.ts';
import type { QueryOptions } from './statements.ts';

export type ReadBundle = Record<string, Omit<BundleProperty, 'endpoints'> & { endpoints: readonly ReadEntry[] }>;

/** What a read found: few records as their text, or the places of many (no keys where there is a text). */
export type FoundRecords = LongAnswer & { text: string | undefined };

export type BundleReadParts = Parameters<typeof piecewise>[0] & {
  find: (entries: readonly ReadEntry[], options: QueryOptions) => Promise<FoundRecords>;
  /** Pairs of entry and place, of what is shown. */
  shownKeys: (entries: readonly ReadEntry[], options: QueryOptions) => Promise<Float64Array<ArrayBuffer>>;
  now: () => number;
};

/** Bytes of one bundle's texts and keys kept in memory. Larger results are queried again when they are sent. */
const HELD_BYTES = 8_000_000;

/** Places by endpoint. */
type Named = Map<string, Places>;

/** Only what the record of the call names: nothing leaves that came, or came to match, after that was written. */
const namedOf = (
  keys: Float64Array<ArrayBuffer>,
  entries: readonly ReadEntry[],
  named: Named,
): Float64Array<ArrayBuffer> => {
  const places = entries.map(({ endpoint }) => named.get(endpoint) ?? NO_PLACES);
  let length = 0;
  for (let at = 0; at < keys.length; at += 2) {
    const [entry = 0, seq = 0] = [keys[at], keys[at + 1]];
    if (!holdsPlace(places[entry] ?? NO_PLACES, seq)) continue;
    keys[length] = entry;
    keys[length + 1] = seq;
    length += 2;
  }
  return keys.subarray(0, length);
};

const optionsOf = (
  { limit, orderBy, ordering }: ReadBundle[string],
  guest: NonOwnerReader | undefined,
): QueryOptions => ({
  orderBy: orderBy ?? undefined,
  ordering: ordering ?? 'ascending',
  skip: 0,
  take: limit ?? null,
  guest,
});

/**
 * Reads a bundle, property by property. All accesses are logged before the response starts; long results are serialised when
 * their turn comes, so that no bundle is held in memory as a whole.
 */
export const createBundleRead = (parts: BundleReadParts) => {
  const { find, shownKeys, now } = parts;

  /** What gives a property's text when its turn comes, without holding on to what was found. */
  const readAgain = (
    { atOnce, textsOf, thread, stillFound }: LongAnswer,
    entries: readonly ReadEntry[],
    options: QueryOptions,
    named: Named | undefined,
  ): (() => Promise<Text>) => {
    return async () => {
      const begun = now();
      const found = await shownKeys(entries, options);
      const keys = named === undefined ? found : namedOf(found, entries, named);
      return piecewise(parts, { keys, atOnce, textsOf, thread, begun, stillFound });
    };
  };

  return async (bundle: ReadBundle, guest?: NonOwnerReader): Promise<Text> => {
    const named: Named | undefined = guest === undefined ? undefined : new Map();
    const seen: RecordReads = (endpoint, seqs) => {
      const before = named?.get(endpoint) ?? NO_PLACES;
      const after = unite(before, seqs);
      if (after === before) return;
      release(before);
      named?.set(endpoint, after);
    };
    const asGuest = guest === undefined ? undefined : { ...guest, recordReads: seen };

    const deadline = performance.now() + (guest === undefined ? OWNER_READ_MS : GUEST_READ_MS);
    let room = HELD_BYTES;
    let long = false;
    const texts: (readonly [string, () => Text | Promise<Text>])[] = [];
    for (const [property, wanted] of Object.entries(bundle)) {
      // One deadline for the whole bundle: those of a hundred properties must not add up.
      if (performance.now() > deadline) throw asReadFailure(new ReadLimitError('time'));
      const { endpoints: entries } = wanted;
      const options = optionsOf(wanted, asGuest);
      const { text, ...found } = await find(entries, options);
      const bytes = text?.length ?? found.keys.byteLength;
      long ||= text === undefined || bytes > room;
      if (bytes > room) {
        guest?.longRead();
        texts.push([property, readAgain(found, entries, options, named)]);
        release(found.keys);
        continue;
      }
      room -= bytes;
      texts.push([property, text === undefined ? () => piecewise(parts, found) : () => text]);
    }
    for (const [endpoint, seqs] of named ?? []) guest?.recordReads(endpoint, seqs);
    const pieces = bundlePieces(texts);
    if (long) return started(pieces);
    let whole = '';
    for await (const piece of pieces) whole += piece;
    return whole;
  };
};

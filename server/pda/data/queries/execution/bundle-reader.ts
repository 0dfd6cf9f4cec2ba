import type { NonOwnerReader, ReadRecorder } from '../../../../platform/auth/access-trace.ts';
import { createReadDeadline } from '../../../../platform/workers/read-limit-failure.ts';
import type { BundleProperty } from '../../../../wire/query.ts';
import { hasSeq, EMPTY_SEQ_SET, releaseBuffer, addSeqs, type SeqSet } from '../../../core/seq-set.ts';
import { streamBundle, streamRecords, prefetchStart, type RecordStreamSource, type Text } from './record-stream.ts';
import type { ReadEntry } from './row-serializer.ts';
import type { QueryOptions } from './statements.ts';

/** Bundle to read. Unlike in a stored bundle, entries may override the output fields and add conditions. */
export type ReadBundle = Record<string, Omit<BundleProperty, 'endpoints'> & { endpoints: readonly ReadEntry[] }>;

/** `text`: JSON of a small result; `keys` is then empty. A large result has only keys. */
export type ReadResult = RecordStreamSource & { text: string | undefined };

type BundleReadParts = Parameters<typeof streamRecords>[0] & {
  readTextOrKeys: (entries: readonly ReadEntry[], options: QueryOptions) => Promise<ReadResult>;
  /** Returns the keys of the records that are not hidden: pairs of entry and sequence number. */
  visibleKeys: (entries: readonly ReadEntry[], options: QueryOptions) => Promise<Float64Array<ArrayBuffer>>;
  now: () => number;
};

/** Limit of a bundle's texts and keys in memory. Results beyond it are queried again when they are sent. */
const BUFFERED_MAX_BYTES = 8_000_000;

type SeqsByEndpoint = Map<string, SeqSet>;

/** Keeps only logged keys. A record that began to match later is not in the access log and must not be sent. */
const filterLogged = (
  keys: Float64Array<ArrayBuffer>,
  entries: readonly ReadEntry[],
  loggedByEndpoint: SeqsByEndpoint,
): Float64Array<ArrayBuffer> => {
  const loggedSeqs = entries.map(({ endpoint }) => loggedByEndpoint.get(endpoint) ?? EMPTY_SEQ_SET);
  let length = 0;
  for (let index = 0; index < keys.length; index += 2) {
    const [entry = 0, seq = 0] = [keys[index], keys[index + 1]];
    if (!hasSeq(loggedSeqs[entry] ?? EMPTY_SEQ_SET, seq)) continue;
    keys[length] = entry;
    keys[length + 1] = seq;
    length += 2;
  }
  return keys.subarray(0, length);
};

const optionsOf = (
  { limit, orderBy, ordering }: ReadBundle[string],
  nonOwner: NonOwnerReader | undefined,
): QueryOptions => ({
  orderBy: orderBy ?? undefined,
  ordering: ordering ?? 'ascending',
  skip: 0,
  take: limit ?? null,
  nonOwner,
});

/**
 * Reads a bundle property by property. All accesses are logged before the response starts. Long results are serialised
 * when they are sent, so that a large bundle is never completely in memory.
 */
export const createBundleReader = (parts: BundleReadParts) => {
  const { readTextOrKeys, visibleKeys, now } = parts;

  const deferRead = (
    { chunkRecords, serializer, thread, readKeysAgain }: RecordStreamSource,
    entries: readonly ReadEntry[],
    options: QueryOptions,
    loggedByEndpoint: SeqsByEndpoint | undefined,
  ): (() => Promise<Text>) => {
    return async () => {
      const startedAt = now();
      const matchingKeys = await visibleKeys(entries, options);
      const keys =
        loggedByEndpoint === undefined ? matchingKeys : filterLogged(matchingKeys, entries, loggedByEndpoint);
      return streamRecords(parts, { keys, chunkRecords, serializer, thread, startedAt, readKeysAgain });
    };
  };

  return async (bundle: ReadBundle, nonOwner?: NonOwnerReader): Promise<Text> => {
    const loggedByEndpoint: SeqsByEndpoint | undefined = nonOwner === undefined ? undefined : new Map();
    const recordReads: ReadRecorder = (endpoint, seqs) => {
      const previousSeqs = loggedByEndpoint?.get(endpoint) ?? EMPTY_SEQ_SET;
      const allSeqs = addSeqs(previousSeqs, seqs);
      if (allSeqs === previousSeqs) return;
      releaseBuffer(previousSeqs);
      loggedByEndpoint?.set(endpoint, allSeqs);
    };
    const collectingReader = nonOwner === undefined ? undefined : { ...nonOwner, recordReads };

    // One deadline for the whole bundle, because the deadlines of a hundred properties would add up.
    const checkDeadline = createReadDeadline(nonOwner === undefined);
    let remainingBytes = BUFFERED_MAX_BYTES;
    let isLong = false;
    const texts: (readonly [string, () => Text | Promise<Text>])[] = [];
    for (const [property, definition] of Object.entries(bundle)) {
      checkDeadline();
      const { endpoints: entries } = definition;
      const options = optionsOf(definition, collectingReader);
      const { text, ...source } = await readTextOrKeys(entries, options);
      const bytes = text?.length ?? source.keys.byteLength;
      isLong ||= text === undefined || bytes > remainingBytes;
      if (bytes > remainingBytes) {
        nonOwner?.admitLongRead();
        texts.push([property, deferRead(source, entries, options, loggedByEndpoint)]);
        releaseBuffer(source.keys);
        continue;
      }
      remainingBytes -= bytes;
      texts.push([property, text === undefined ? () => streamRecords(parts, source) : () => text]);
    }
    for (const [endpoint, seqs] of loggedByEndpoint ?? []) nonOwner?.recordReads(endpoint, seqs);
    const chunks = streamBundle(texts);
    if (isLong) return prefetchStart(chunks);
    let json = '';
    for await (const chunk of chunks) json += chunk;
    return json;
  };
};

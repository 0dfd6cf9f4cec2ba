import { createKeyedMutex } from '../../../../platform/async/mutex.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { Caller } from '../../../../platform/http/route.ts';
import { COMPARISON_MAX_MS } from '../../../../wire/work-limits.ts';
import type { Transaction, Writer } from '../../../storage/index.ts';
import type { EndpointStore, Origin } from '../../../core/endpoint-store.ts';
import { fingerprintOf, toComparedValue } from './fingerprint.ts';
import type { FingerprintStore, FingerprintWatch } from './fingerprint-store.ts';
import type { ComparisonCaller, IndexBuilder } from './index-builder.ts';
import type { RecordService, StoredRecord } from '../service.ts';
import { runInSlices, runWithin, workOfChars, type SteppedWork } from './time-slices.ts';

/**
 * Stores, in one transaction, the values that equal neither a compared record at the endpoint nor an earlier value.
 *
 * Comparing thousands of values takes seconds, so it is done in slices outside the transaction. The transaction only
 * repeats the comparison of values whose fingerprint has since been added to the index or removed from it.
 * @throws Failure out_of_disk, query_limit_exceeded | unavailable if large values cannot be compared within the limits,
 *   and rate_limited | forbidden from `caller`
 */
export type DistinctWriter = (
  path: string,
  values: readonly (string | Buffer)[],
  options: DistinctOptions,
) => Promise<StoredRecord[]>;

export type DistinctOptions = {
  origin: Origin;
  /** `own` ignores records of other origins, for callers that may not read them. */
  compareWith: 'all' | 'own';
  /** Counts the long reads, and checks in the transaction that the caller still has the right to make the request. */
  caller?: Pick<Caller, 'admitLongRead' | 'requireRight'>;
};

export type DistinctWriterParts = Pick<RecordService, 'createWithin'> & {
  writer: Writer;
  endpoints: EndpointStore;
  fingerprints: FingerprintStore;
  indexBuilder: Pick<IndexBuilder, 'prepareFingerprints' | 'digestsOfLargeValues'>;
  clock: Clock;
};

/** `isStored`: an equal record was found at the endpoint. */
type Element = { data: string | Buffer; digest: string; fingerprint: number; isStored: boolean };

/**
 * Units of work that the transaction of each attempt may spend on the index and on comparisons. If other writers have
 * changed more than that, the changes are first compared in slices. Attempts beyond this list have no limit, so that
 * a busy writer cannot delay a request forever.
 */
const ATTEMPT_MAX_UNITS = [100, 1000, 10_000] as const;

type DistinctElements = { elements: Element[]; byFingerprint: Map<number, Element[]> };

function* collectDistinct(
  values: readonly (string | Buffer)[],
  largeDigests: ReadonlyMap<string | Buffer, string>,
): SteppedWork<DistinctElements> {
  const elements: Element[] = [];
  const byFingerprint = new Map<number, Element[]>();
  for (const data of values) {
    const { digest, text } = toComparedValue(data, largeDigests.get(data));
    yield workOfChars(text?.length ?? 0);
    const element = { data, digest, fingerprint: fingerprintOf(digest), isStored: false };
    const candidates = byFingerprint.get(element.fingerprint) ?? [];
    if (candidates.some((other) => other.digest === digest)) continue;
    byFingerprint.set(element.fingerprint, [...candidates, element]);
    elements.push(element);
  }
  return { elements, byFingerprint };
}

export const createDistinctWriter = (parts: DistinctWriterParts): DistinctWriter => {
  const { writer, endpoints, fingerprints, indexBuilder, createWithin, clock } = parts;
  const mutex = createKeyedMutex();

  function* compareWithIndex(
    elements: Iterable<Element>,
    { scope }: FingerprintWatch,
  ): SteppedWork<Map<Element, boolean>> {
    const storedFlags = new Map<Element, boolean>();
    for (const element of elements)
      storedFlags.set(element, yield* fingerprints.search(scope, toComparedValue(element.data, element.digest)));
    return storedFlags;
  }

  const findOrInternOrigin = async (origin: Origin): Promise<number> =>
    endpoints.findOrigin(origin) ?? (await writer.write((tx) => endpoints.internOrigin(tx, origin)));

  const createExclusively = async (
    path: string,
    collect: () => SteppedWork<DistinctElements>,
    { origin, originId, caller }: DistinctOptions & { originId: number | undefined },
    comparison: ComparisonCaller,
  ): Promise<StoredRecord[]> => {
    const { elements, byFingerprint } = await runInSlices(collect());
    let watch: FingerprintWatch | undefined;

    const compare = async (comparedElements: Iterable<Element>, current: FingerprintWatch): Promise<void> => {
      const storedFlags = await runInSlices(compareWithIndex(comparedElements, current));
      for (const [element, isStored] of storedFlags) element.isStored = isStored;
    };

    const changedElements = ({ changed }: FingerprintWatch): Element[] =>
      [...changed].flatMap((fingerprint) => byFingerprint.get(fingerprint) ?? []);

    const isCurrent = (): boolean => endpoints.find(path) === watch?.scope.endpoint && watch?.isStale !== true;

    /**
     * Brings the index up to date and compares elements in slices: all elements when the watch of an existing index
     * begins, otherwise those whose fingerprints have been added to the index or removed from it.
     */
    const catchUp = async (): Promise<void> => {
      const needsNewWatch = !isCurrent();
      if (needsNewWatch) {
        watch?.stop();
        for (const element of elements) element.isStored = false;
        const endpoint = endpoints.find(path);
        watch = endpoint === undefined ? undefined : fingerprints.watch({ endpoint, origin: originId }, byFingerprint);
      }
      if (watch === undefined) return;
      // Building an index reports all of its fingerprints as changes. Only an existing index must be searched for all
      // elements.
      const wasBuilt = fingerprints.hasIndex(watch.scope.endpoint);
      await indexBuilder.prepareFingerprints(path, comparison, { origin: originId });
      if (needsNewWatch && wasBuilt) await compare(elements, watch);
      const outdatedElements = changedElements(watch);
      watch.changed.clear();
      await compare(outdatedElements, watch);
    };

    /** Stores the new elements. Returns undefined if `catchUp` must run again first. */
    const tryToStore = (tx: Transaction, maxUnits: number): StoredRecord[] | undefined => {
      caller?.requireRight();
      if (!isCurrent()) return undefined;
      // The transaction may be rolled back and repeated, so its result is not written to the elements.
      let storedFlags = new Map<Element, boolean>();
      if (watch !== undefined) {
        let units = 0;
        for (;;) {
          const step = fingerprints.catchUp(tx, watch.scope.endpoint);
          if (step === 0) break;
          units += step;
          if (units > maxUnits) return undefined;
        }
        if (fingerprints.hasPending(watch.scope)) return undefined;
        const repeatedComparison = runWithin(maxUnits - units, compareWithIndex(changedElements(watch), watch));
        if (repeatedComparison === undefined) return undefined;
        storedFlags = repeatedComparison.result;
      }
      const newElements = elements.filter((element) => !(storedFlags.get(element) ?? element.isStored));
      return createWithin(
        tx,
        newElements.map(({ data }) => ({ endpoint: path, data })),
        origin,
      );
    };

    try {
      for (let attempt = 0; ; attempt += 1) {
        await catchUp();
        const storedRecords = await writer.write((tx) => tryToStore(tx, ATTEMPT_MAX_UNITS[attempt] ?? Infinity));
        if (storedRecords !== undefined) return storedRecords;
      }
    } finally {
      watch?.stop();
    }
  };

  return async (path, values, options) => {
    const { origin, compareWith, caller } = options;
    const comparison = { origin, deadline: clock.now() + COMPARISON_MAX_MS, admitLongRead: caller?.admitLongRead };
    const largeDigests = await indexBuilder.digestsOfLargeValues(values, comparison);
    const collect = (): SteppedWork<DistinctElements> => collectDistinct(values, largeDigests);
    const originId = compareWith === 'own' ? await findOrInternOrigin(origin) : undefined;
    // Callers who may not read the records of others never wait for a comparison with those records.
    return mutex.run(`${originId ?? 'all'} ${path}`, () =>
      createExclusively(path, collect, { ...options, originId }, comparison),
    );
  };
};

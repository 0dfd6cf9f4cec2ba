import { createMutex } from '../../../../platform/async/mutex.ts';
import type { Transaction, Writer } from '../../../storage/index.ts';
import type { EndpointStore, Origin } from '../../../core/endpoint-store.ts';
import { equalJson, fingerprint } from './fingerprint.ts';
import type { FingerprintStore, FingerprintWatch } from './fingerprint-store.ts';
import type { RecordService, StoredRecord } from '../service.ts';
import { runInSlices, runWithin, workOfBytes, type SteppedWork } from './time-slices.ts';

/**
 * Stores the elements of an array that are not equal to any stored record. Comparing thousands of elements takes seconds, so it runs in
 * slices outside the transaction. The transaction that stores the rest compares again only the elements whose fingerprint was added to
 * the index, or removed from it, since they were compared.
 */
export type DistinctWriter = {
  /**
   * Stores the elements that, as JSON values, are not equal to a record at the endpoint or an earlier element, all or none. Returns the stored
   * records. `compareWith: 'own'` ignores records of other origins, for callers that may not learn of their existence.
   */
  create(
    path: string,
    values: readonly (string | Buffer)[],
    options: { origin: Origin; compareWith: 'all' | 'own' },
  ): Promise<StoredRecord[]>;
};

export type DistinctWriterParts = Pick<RecordService, 'createWithin' | 'prepareFingerprints'> & {
  writer: Writer;
  endpoints: EndpointStore;
  fingerprints: FingerprintStore;
};

type Element = { data: string | Buffer; fingerprint: number; isStored: boolean };

/**
 * Units of work that the transaction may spend on comparisons, per attempt. If other writers changed more than that, the difference is first
 * compared in slices. The last attempt has no limit, so that a busy writer cannot keep a request from ending: it compares what changed
 * during the previous comparison.
 */
const ATTEMPT_MAX_UNITS = [100, 1000, 10_000] as const;

type DistinctElements = { elements: Element[]; byFingerprint: Map<number, Element[]> };

/** Computes the fingerprints of the values, and drops values that are equal to an earlier one. */
function* distinctElements(values: readonly (string | Buffer)[]): SteppedWork<DistinctElements> {
  const elements: Element[] = [];
  const byFingerprint = new Map<number, Element[]>();
  for (const data of values) {
    const text = data.toString();
    const element = { data, fingerprint: fingerprint(text), isStored: false };
    yield workOfBytes(text.length);
    const others = byFingerprint.get(element.fingerprint) ?? [];
    if (others.some((other) => equalJson(other.data.toString(), text))) continue;
    byFingerprint.set(element.fingerprint, [...others, element]);
    elements.push(element);
  }
  return { elements, byFingerprint };
}

/** Creates a mutex per endpoint, which exists while it is in use. */
const createEndpointMutexes = () => {
  const mutexes = new Map<string, { run: ReturnType<typeof createMutex>; users: number }>();
  return async <Result>(path: string, work: () => Promise<Result>): Promise<Result> => {
    const mutex = mutexes.get(path) ?? { run: createMutex(), users: 0 };
    mutexes.set(path, mutex);
    mutex.users += 1;
    try {
      return await mutex.run(work);
    } finally {
      mutex.users -= 1;
      if (mutex.users === 0) mutexes.delete(path);
    }
  };
};

export const createDistinctWriter = (parts: DistinctWriterParts): DistinctWriter => {
  const { writer, endpoints, fingerprints, prepareFingerprints, createWithin } = parts;
  const withMutex = createEndpointMutexes();

  /** Finds out which elements are equal to a stored record. */
  function* findStored(elements: Iterable<Element>, { scope }: FingerprintWatch): SteppedWork<Map<Element, boolean>> {
    const result = new Map<Element, boolean>();
    for (const element of elements)
      result.set(element, yield* fingerprints.search(scope, element.fingerprint, element.data.toString()));
    return result;
  }

  const originIdOf = async (origin: Origin): Promise<number> =>
    endpoints.findOrigin(origin) ?? (await writer.write((tx) => endpoints.origin(tx, origin)));

  const createExclusively: DistinctWriter['create'] = async (path, values, { origin, compareWith }) => {
    const originId = compareWith === 'own' ? await originIdOf(origin) : undefined;
    const { elements, byFingerprint } = await runInSlices(distinctElements(values));
    let watch: FingerprintWatch | undefined;

    const compare = async (compared: Iterable<Element>, current: FingerprintWatch): Promise<void> => {
      const storedFlags = await runInSlices(findStored(compared, current));
      for (const [element, isStored] of storedFlags) element.isStored = isStored;
    };

    /** Elements whose fingerprint was added to the index, or removed from it, since they were compared. */
    const changedElements = ({ changed }: FingerprintWatch): Element[] =>
      [...changed].flatMap((hash) => byFingerprint.get(hash) ?? []);

    const isCurrent = (): boolean => endpoints.find(path) === watch?.scope.endpoint && watch?.isStale !== true;

    /** Compares the elements that are affected by changes since the last call, in slices. */
    const catchUp = async (): Promise<void> => {
      const isFirst = !isCurrent();
      if (isFirst) {
        watch?.stop();
        for (const element of elements) element.isStored = false;
        const endpoint = endpoints.find(path);
        watch = endpoint === undefined ? undefined : fingerprints.watch({ endpoint, origin: originId }, byFingerprint);
      }
      if (watch === undefined) return;
      // Building an index reports each of its fingerprints, so only an index that exists has to be searched for all elements.
      const wasBuilt = fingerprints.isBuilt(watch.scope.endpoint);
      await prepareFingerprints(path);
      if (isFirst && wasBuilt) await compare(elements, watch);
      const changed = changedElements(watch);
      watch.changed.clear();
      await compare(changed, watch);
    };

    /** Stores the new elements. Returns undefined if too much changed since the comparison. */
    const tryToStore = (tx: Transaction, maxUnits: number): StoredRecord[] | undefined => {
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
        const compared = runWithin(maxUnits - units, findStored(changedElements(watch), watch));
        if (compared === undefined) return undefined;
        storedFlags = compared.result;
      }
      const missing = elements.filter((element) => !(storedFlags.get(element) ?? element.isStored));
      return createWithin(
        tx,
        missing.map(({ data }) => ({ endpoint: path, data })),
        origin,
      );
    };

    try {
      for (let attempt = 0; ; attempt += 1) {
        await catchUp();
        const stored = await writer.write((tx) => tryToStore(tx, ATTEMPT_MAX_UNITS[attempt] ?? Infinity));
        if (stored !== undefined) return stored;
      }
    } finally {
      watch?.stop();
    }
  };

  return {
    create: (path, values, options) => withMutex(path, () => createExclusively(path, values, options)),
  };
};

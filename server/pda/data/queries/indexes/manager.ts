import type { Log } from '../../../../platform/log.ts';
import { codeOf } from '../../../../wire/values.ts';
import type { DatabaseThread, Writer } from '../../../storage/index.ts';
import type { QueryIndex } from '../sql/index-definitions.ts';
import type { QueryStore } from '../store.ts';
import type { TextIndex } from '../sql/text-indexes.ts';

export type IndexManager = ReturnType<typeof createIndexManager>;

export type RequiredIndex = (QueryIndex | TextIndex) & { readonly path: string };

/** Maximum records that are added to a full-text index per transaction, which takes a few milliseconds. */
const FILL_BATCH_RECORDS = 300;

/** Delay of a retry, for example after a build on a full disk. */
const INDEX_RETRY_MS = 60_000;

const isTooSlow = (error: unknown): boolean => codeOf(error) === 'READ_LIMIT_TIME';

/**
 * Builds an index when a registered query, the table of records or a chart needs it, and drops it when nothing does, so
 * that writes pay only for indexes in use.
 */
export const createIndexManager = (parts: {
  store: QueryStore;
  writer: Writer;
  maintenance: DatabaseThread;
  log: Log;
  collectRequiredIndexes: () => Promise<readonly RequiredIndex[]>;
}) => {
  const { store, writer, maintenance, log } = parts;
  let readyNames = new Set(
    store
      .indexes()
      .filter((row) => row.ready === 1)
      .map((row) => row.name),
  );
  let generation = 0;
  let isReconcileRequested = false;
  let isClosed = false;
  let currentRun: Promise<void> | undefined;
  let retryTimer: NodeJS.Timeout | undefined;
  /** Names of indexes whose build took too long. Another attempt would make writes wait again. */
  const abortedBuilds = new Set<string>();
  let endpointIds = new Map<string, number>();
  /** Undefined while the required indexes are being determined. */
  let requiredNames: ReadonlySet<string> | undefined;

  const setReadyNames = (names: Set<string>): void => {
    readyNames = names;
    generation += 1;
  };

  /** Holds the write lock during the build. Writes wait in the queue; readers are not affected. */
  const buildInOneStatement = async (index: QueryIndex): Promise<void> => {
    const resumeWriter = await writer.pause();
    try {
      await maintenance.exec(index.createSql);
    } catch (error) {
      if (isTooSlow(error)) abortedBuilds.add(index.name);
      throw error;
    } finally {
      resumeWriter();
    }
  };

  /** Builds a full-text index. Database triggers update it from the start; existing records are added in batches. */
  const buildTextIndex = async (index: TextIndex): Promise<void> => {
    const upTo = await writer.write((tx) => store.createTextIndex(tx, index));
    for (let after: number | undefined = -1; after !== undefined && !isClosed;) {
      const from: number = after;
      after = await writer.write((tx) => store.fillTextIndex(tx, index, from, upTo, FILL_BATCH_RECORDS));
    }
  };

  const build = async (index: RequiredIndex): Promise<void> => {
    const { name, endpoint, expressionSql: expression } = index;
    await writer.write((tx) => store.addIndex(tx, { name, endpoint, expression }));
    await ('fillSql' in index ? buildTextIndex(index) : buildInOneStatement(index));
    if (isClosed) return;
    await writer.write((tx) => store.markReady(tx, name));
    setReadyNames(new Set([...readyNames, name]));
  };

  const drop = async (name: string): Promise<void> => {
    setReadyNames(new Set([...readyNames].filter((other) => other !== name)));
    await writer.write((tx) => store.dropIndex(tx, name));
  };

  /**
   * Logs an error, so that one failing index does not affect the others. Schedules a retry unless a build took too
   * long.
   */
  const withRetry = async (step: Promise<void>): Promise<void> => {
    try {
      await step;
    } catch (error) {
      if (isTooSlow(error)) {
        log.warn(
          { err: error },
          'indexing a record takes too long; queries run without the index until the next start',
        );
        return;
      }
      log.warn(
        { err: error },
        'failed to update the query indexes; queries run without missing ones until the retry in a minute',
      );
      retryTimer ??= setTimeout(() => {
        retryTimer = undefined;
        reconcile();
      }, INDEX_RETRY_MS).unref();
    }
  };

  const reconcileOnce = async (): Promise<void> => {
    const previousNames = requiredNames;
    requiredNames = undefined;
    let requirements: readonly RequiredIndex[];
    try {
      requirements = await parts.collectRequiredIndexes();
    } catch (error) {
      // Otherwise every index would count as awaited until the retry.
      requiredNames = previousNames ?? new Set();
      throw error;
    }
    endpointIds = new Map(requirements.map((index) => [index.path, index.endpoint]));
    const names = new Set(requirements.map((index) => index.name));
    requiredNames = names;
    for (const row of store.indexes()) if (!names.has(row.name)) await withRetry(drop(row.name));
    for (const index of requirements) {
      if (isClosed) return;
      if (!readyNames.has(index.name) && !abortedBuilds.has(index.name)) await withRetry(build(index));
    }
  };

  const reconcileWhileRequested = async (): Promise<void> => {
    while (isReconcileRequested && !isClosed) {
      isReconcileRequested = false;
      await withRetry(reconcileOnce());
    }
  };

  /** Builds missing indexes and drops unused ones, in the background. */
  const reconcile = (): void => {
    isReconcileRequested = true;
    if (isClosed || currentRun !== undefined) return;
    currentRun = reconcileWhileRequested().finally(() => {
      currentRun = undefined;
      // A request may have arrived after the loop ended.
      if (isReconcileRequested) reconcile();
    });
  };

  return {
    /** Returns the names of the indexes that can be used now. */
    readyNames: (): ReadonlySet<string> => readyNames,
    /**
     * Returns true if a requested index is not ready but will be: it is within the limits on the number of indexes, and
     * its build was not aborted. While the required indexes are being determined, each is assumed to be within the
     * limits.
     */
    isAwaited: (name: string): boolean =>
      !readyNames.has(name) &&
      !abortedBuilds.has(name) &&
      (isReconcileRequested || requiredNames === undefined || requiredNames.has(name)),
    /** Returns a number that changes with the result of `readyNames`. */
    generation: (): number => generation,
    reconcile,
    /** Requests a reconciliation if the id of an endpoint has changed, because it was deleted and recreated. */
    checkEndpointId(path: string, endpoint: number): void {
      const indexedId = endpointIds.get(path);
      if (indexedId === undefined || indexedId === endpoint || currentRun !== undefined || retryTimer !== undefined)
        return;
      reconcile();
    },
    async waitUntilIdle(): Promise<void> {
      while (currentRun !== undefined) await currentRun;
    },
    /** Stops after the current step. */
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(retryTimer);
      await currentRun;
    },
  };
};

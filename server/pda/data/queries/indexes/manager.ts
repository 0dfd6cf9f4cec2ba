import type { Log } from '../../../../platform/log.ts';
import type { DatabaseThread, Writer } from '../../../storage/index.ts';
import type { QueryIndex } from '../sql/index-definitions.ts';
import type { QueryStore } from '../store.ts';
import type { TextIndex } from '../sql/text-indexes.ts';

/**
 * Index manager: builds an index when a registered query needs it and drops it when no query does, so that writes pay only
 * for indexes in use. SQLite maintains them in between.
 */
export type IndexManager = {
  /** Returns the names of the indexes that can be used now. */
  ready(): ReadonlySet<string>;
  /** Returns a number that changes whenever `ready` does. */
  generation(): number;
  /** Builds missing indexes and drops unused ones, in the background. */
  reconcile(): void;
  /** Compares the id of an endpoint with that of its indexes. A recreated endpoint has a new id, so its indexes are rebuilt. */
  checkEndpointId(path: string, endpoint: number): void;
  /** Waits until no work is left. */
  whenIdle(): Promise<void>;
  close(): Promise<void>;
};

/** An index that queries require, with the path of its endpoint. */
export type RequiredIndex = (QueryIndex | TextIndex) & { readonly path: string };

/** Records that are added to a full-text index per transaction, which takes a few milliseconds. */
const FILL_BATCH_RECORDS = 300;

/** Milliseconds until a failed build (for example on a full disk) is retried. */
const RETRY_MS = 60_000;

export const createIndexManager = (parts: {
  store: QueryStore;
  writer: Writer;
  maintenance: DatabaseThread;
  log: Log;
  /** Returns all indexes that registered queries would use. */
  requiredIndexes: () => Promise<readonly RequiredIndex[]>;
}): IndexManager => {
  const { store, writer, maintenance, log } = parts;
  let ready = new Set(
    store
      .indexes()
      .filter((row) => row.ready === 1)
      .map((row) => row.name),
  );
  let generation = 0;
  let isRequested = false;
  let closed = false;
  let running: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  /** Endpoint ids of the indexes by path. */
  let endpointIds = new Map<string, number>();

  const setReady = (next: Set<string>): void => {
    ready = next;
    generation += 1;
  };

  /** Builds an index in one statement, which holds the write lock. Writers wait in the queue; readers are not affected. */
  const buildInOneStatement = async (index: QueryIndex): Promise<void> => {
    const resumeWriter = await writer.pause();
    try {
      await maintenance.exec(index.createSql);
    } finally {
      resumeWriter();
    }
  };

  /** Creates a full-text index. Triggers update it from the start; existing records are added in batches. */
  const fill = async (index: TextIndex): Promise<void> => {
    const upTo = await writer.write((tx) => store.createTextIndex(tx, index));
    for (let after: number | undefined = -1; after !== undefined && !closed;) {
      const from: number = after;
      after = await writer.write((tx) => store.fillTextIndex(tx, index, from, upTo, FILL_BATCH_RECORDS));
    }
  };

  const build = async (index: RequiredIndex): Promise<void> => {
    const { name, endpoint, expressionSql: expression } = index;
    await writer.write((tx) => store.addIndex(tx, { name, endpoint, expression }));
    await ('fillSql' in index ? fill(index) : buildInOneStatement(index));
    if (closed) return;
    await writer.write((tx) => store.markReady(tx, name));
    setReady(new Set([...ready, name]));
  };

  const drop = async (name: string): Promise<void> => {
    setReady(new Set([...ready].filter((other) => other !== name)));
    await writer.write((tx) => store.dropIndex(tx, name));
  };

  /** Logs an error and schedules a retry, so that one failing index does not affect the others. */
  const withRetry = async (step: Promise<void>): Promise<void> => {
    try {
      await step;
    } catch (error) {
      log.warn({ err: error }, 'an index could not be built or dropped; queries run without it until the retry');
      retry ??= setTimeout(() => {
        retry = undefined;
        reconcile();
      }, RETRY_MS).unref();
    }
  };

  const reconcileOnce = async (): Promise<void> => {
    const required = await parts.requiredIndexes();
    endpointIds = new Map(required.map((index) => [index.path, index.endpoint]));
    const names = new Set(required.map((index) => index.name));
    for (const row of store.indexes()) if (!names.has(row.name)) await withRetry(drop(row.name));
    for (const index of required) {
      if (closed) return;
      if (!ready.has(index.name)) await withRetry(build(index));
    }
  };

  const work = async (): Promise<void> => {
    while (isRequested && !closed) {
      isRequested = false;
      await withRetry(reconcileOnce());
    }
  };

  const reconcile = (): void => {
    isRequested = true;
    if (closed || running !== undefined) return;
    running = work().finally(() => {
      running = undefined;
      // Requested between the end of the work and now.
      if (isRequested) reconcile();
    });
  };

  return {
    ready: () => ready,
    generation: () => generation,
    reconcile,
    checkEndpointId(path, endpoint) {
      const indexedId = endpointIds.get(path);
      if (indexedId === undefined || indexedId === endpoint || running !== undefined || retry !== undefined) return;
      reconcile();
    },
    async whenIdle() {
      while (running !== undefined) await running;
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      await running;
    },
  };
};

import type { Log } from '../../../../platform/log.ts';
import type { DatabaseThread, Writer } from '../../../storage/index.ts';
import type { QueryIndex } from '../sql/index-definitions.ts';
import type { QueryStore } from '../store.ts';
import type { TextIndex } from '../sql/text-indexes.ts';

/**
 * Index manager: builds an index when a registered query needs it and drops it when no query does, so that writes pay only
 * for indexes in use. SQLite maintains them in between.
 */
export type EarnedIndexes = {
  /** Names of the indexes that can be used now. */
  ready(): ReadonlySet<string>;
  /** Changes each time `ready` does. */
  generation(): number;
  /** Builds what is missing and drops what is not needed, in the background. */
  settle(): void;
  /**
   * Reports the current number of an endpoint. A recreated endpoint has a new number, so its indexes are rebuilt.
   */
  seen(path: string, endpoint: number): void;
  /** Waits until there is nothing left to do. */
  settled(): Promise<void>;
  close(): Promise<void>;
};

/** An index, and the path of the endpoint that it is for. */
export type NeededIndex = (QueryIndex | TextIndex) & { readonly path: string };

/** Records that a full-text index takes in at once: a few milliseconds between two turns of the writer. */
const FILL_AT_ONCE = 300;

/** Milliseconds until an index that could not be built (a full disk) is tried again. */
const RETRY_MS = 60_000;

export const createEarnedIndexes = (parts: {
  store: QueryStore;
  writer: Writer;
  maintenance: DatabaseThread;
  log: Log;
  /** All indexes that registered queries would use. */
  needed: () => Promise<readonly NeededIndex[]>;
}): EarnedIndexes => {
  const { store, writer, maintenance, log } = parts;
  let ready = new Set(
    store
      .earned()
      .filter((row) => row.ready === 1)
      .map((row) => row.name),
  );
  let generation = 0;
  let again = false;
  let closed = false;
  let running: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  /** Path -> the number that its indexes were settled for. */
  let numbers = new Map<string, number>();

  const change = (next: Set<string>): void => {
    ready = next;
    generation += 1;
  };

  /** The build needs the write lock for as long as it takes. Writers wait in their queue, and readers notice nothing. */
  const buildAtOnce = async (index: QueryIndex): Promise<void> => {
    const goOn = await writer.pause();
    try {
      await maintenance.exec(index.createSql);
    } finally {
      goOn();
    }
  };

  /** Its triggers keep it up from the first moment; what was there before is taken in bit by bit. */
  const fill = async (index: TextIndex): Promise<void> => {
    const upTo = await writer.write((tx) => store.createText(tx, index));
    for (let after: number | undefined = -1; after !== undefined && !closed;) {
      const from: number = after;
      after = await writer.write((tx) => store.fillText(tx, index, from, upTo, FILL_AT_ONCE));
    }
  };

  const build = async (index: NeededIndex): Promise<void> => {
    const { name, endpoint, expressionSql: expression } = index;
    await writer.write((tx) => store.addEarned(tx, { name, endpoint, expression }));
    await ('fillSql' in index ? fill(index) : buildAtOnce(index));
    if (closed) return;
    await writer.write((tx) => store.markReady(tx, name));
    change(new Set([...ready, name]));
  };

  const drop = async (name: string): Promise<void> => {
    change(new Set([...ready].filter((other) => other !== name)));
    await writer.write((tx) => store.dropEarned(tx, name));
  };

  /** One that fails must not keep the others from being settled. */
  const attempt = async (step: Promise<void>): Promise<void> => {
    try {
      await step;
    } catch (error) {
      log.warn({ err: error }, 'an index could not be settled; queries go on without it, and it is tried again');
      retry ??= setTimeout(() => {
        retry = undefined;
        settle();
      }, RETRY_MS).unref();
    }
  };

  const round = async (): Promise<void> => {
    const needed = await parts.needed();
    numbers = new Map(needed.map((index) => [index.path, index.endpoint]));
    const names = new Set(needed.map((index) => index.name));
    for (const row of store.earned()) if (!names.has(row.name)) await attempt(drop(row.name));
    for (const index of needed) {
      if (closed) return;
      if (!ready.has(index.name)) await attempt(build(index));
    }
  };

  const work = async (): Promise<void> => {
    while (again && !closed) {
      again = false;
      await attempt(round());
    }
  };

  const settle = (): void => {
    again = true;
    if (closed || running !== undefined) return;
    running = work().finally(() => {
      running = undefined;
      // Asked for between the end of the work and now.
      if (again) settle();
    });
  };

  return {
    ready: () => ready,
    generation: () => generation,
    settle,
    seen(path, endpoint) {
      const settledFor = numbers.get(path);
      if (settledFor === undefined || settledFor === endpoint || running !== undefined || retry !== undefined) return;
      settle();
    },
    async settled() {
      while (running !== undefined) await running;
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      await running;
    },
  };
};

import { randomUUID } from 'node:crypto';
import type { Reply } from './http.ts';
import type { OwnerClient } from './import-over-http.ts';

// Writers that record which requests the server acknowledged. An acknowledged request must have taken effect; an
// interrupted one may have taken effect completely or not at all.

type Data = { tag: string; batch?: string; batchSize?: number; text: string };
/** Values that may be stored for an id; `undefined` means that the record may be missing. */
type AllowedData = (Data | undefined)[];
type StoredRecord = { recordId: string; endpoint: string; data: Data };

type WrittenRecords = {
  /** Allowed values by record id. If there is only one, it must be stored. */
  records: Map<string, { endpoint: string; allowed: AllowedData }>;
  /** Sent data by tag, until its request is acknowledged. */
  unacknowledgedData: Map<string, Data>;
  /** The change of existing records whose request has not been acknowledged, by writer. */
  unacknowledgedChanges: Map<string, { ids: readonly string[]; newData: AllowedData }>;
  /** Number of steps of all writers in which the server acknowledged every request. */
  acknowledgedSteps: number;
};

export const createWrittenRecords = (): WrittenRecords => ({
  records: new Map(),
  unacknowledgedData: new Map(),
  unacknowledgedChanges: new Map(),
  acknowledgedSteps: 0,
});

const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(Math.random() * list.length)];
const filler = (): string => 'x'.repeat(Math.floor(Math.random() * 400));

class RefusedWrite extends Error {}

const expectStatus = (reply: Reply, status: number): Reply => {
  if (reply.status !== status) throw new RefusedWrite(`${reply.status} ${reply.text}`);
  return reply;
};

/** Starts a writer with separate endpoints, so that it knows their content. All writers also use `load/shared`. */
const startWriter = (server: OwnerClient, writtenRecords: WrittenRecords, name: string) => {
  const ownIds: string[] = [];
  let isStopped = false;
  const loadEndpoint = `load/${name}`;

  const recordStored = (bodies: readonly Data[], reply: Reply): void => {
    const storedList = [reply.json].flat() as StoredRecord[];
    for (const { recordId, endpoint, data } of storedList) {
      writtenRecords.records.set(recordId, { endpoint, allowed: [data] });
      if (endpoint === loadEndpoint) ownIds.push(recordId);
    }
    for (const { tag } of bodies) writtenRecords.unacknowledgedData.delete(tag);
  };

  const recordSent = (data: readonly Data[]): void => {
    for (const body of data) writtenRecords.unacknowledgedData.set(body.tag, body);
  };

  const postOne = async (): Promise<void> => {
    const data = { tag: randomUUID(), text: filler() };
    const endpoint = pick([loadEndpoint, loadEndpoint, 'load/shared']) ?? loadEndpoint;
    recordSent([data]);
    recordStored([data], expectStatus(await server.call('POST', `/api/v2.6/data/${endpoint}`, { json: data }), 201));
  };

  const postBatch = async (): Promise<void> => {
    const batch = randomUUID();
    const batchSize = 2 + Math.floor(Math.random() * 300);
    const data = Array.from({ length: batchSize }, () => ({ tag: randomUUID(), batch, batchSize, text: filler() }));
    recordSent(data);
    const usesTwoEndpoints = Math.random() < 0.5;
    const reply = usesTwoEndpoints
      ? await server.call('POST', '/api/v2.6/data-batch', {
          json: data.map((body, index) => ({ endpoint: index % 2 === 0 ? loadEndpoint : 'load/shared', data: body })),
        })
      : await server.call('POST', `/api/v2.6/data/${loadEndpoint}`, { json: data });
    recordStored(data, expectStatus(reply, 201));
  };

  const change = async (
    ids: readonly string[],
    newDataOf: (id: string) => Data | undefined,
    call: () => Promise<void>,
  ) => {
    const entries = ids.flatMap((id) => writtenRecords.records.get(id) ?? []);
    const newData = ids.map(newDataOf);
    entries.forEach((entry, index) => entry.allowed.push(newData[index]));
    writtenRecords.unacknowledgedChanges.set(name, { ids, newData });
    await call();
    writtenRecords.unacknowledgedChanges.delete(name);
    entries.forEach((entry, index) => {
      entry.allowed = [newData[index]];
    });
  };

  const acknowledgedIds = (count: number): string[] =>
    ownIds
      .filter((id) => {
        const allowedData = writtenRecords.records.get(id)?.allowed ?? [];
        return allowedData.length === 1 && allowedData[0] !== undefined;
      })
      .slice(-count);

  const update = async (): Promise<void> => {
    const ids = acknowledgedIds(3);
    const newData = new Map(ids.map((id) => [id, { tag: randomUUID(), text: filler() }]));
    if (ids.length === 0) {
      await postOne();
      return;
    }
    await change(
      ids,
      (id) => newData.get(id),
      async () => {
        const json = ids.map((recordId) => ({ endpoint: loadEndpoint, recordId, data: newData.get(recordId) }));
        expectStatus(await server.call('PUT', '/api/v2.6/data', { json }), 201);
      },
    );
  };

  const remove = async (): Promise<void> => {
    const ids = acknowledgedIds(2);
    if (ids.length === 0) {
      await postOne();
      return;
    }
    await change(
      ids,
      () => undefined,
      async () => {
        expectStatus(await server.call('DELETE', `/api/v2.6/data?records=${ids.join(',')}`), 200);
      },
    );
  };

  const removeAndUndo = async (): Promise<void> => {
    const ids = acknowledgedIds(4);
    if (ids.length === 0) {
      await postOne();
      return;
    }
    const previousData = new Map(ids.map((id) => [id, writtenRecords.records.get(id)?.allowed[0]]));
    let deletionId = '';
    await change(
      ids,
      () => undefined,
      async () => {
        const reply = await server.call('POST', '/api/v2.6/owner/deletions', { json: { records: ids } });
        ({ deletionId } = expectStatus(reply, 201).json as { deletionId: string });
      },
    );
    if (Math.random() < 0.3) return;
    await change(
      ids,
      (id) => previousData.get(id),
      async () => {
        expectStatus(await server.call('POST', `/api/v2.6/owner/deletions/${deletionId}/undo`), 200);
      },
    );
  };

  const createAndDeleteEndpoint = async (): Promise<void> => {
    const endpoint = `load/${name}-passing`;
    const data = Array.from({ length: 20 }, () => ({ tag: randomUUID(), text: filler() }));
    recordSent(data);
    const reply = expectStatus(await server.call('POST', `/api/v2.6/data/${endpoint}`, { json: data }), 201);
    recordStored(data, reply);
    const ids = (reply.json as StoredRecord[]).map((record) => record.recordId);
    await change(
      ids,
      () => undefined,
      async () => {
        expectStatus(await server.call('DELETE', `/api/v2.6/data/${endpoint}`), 200);
      },
    );
  };

  const run = async (): Promise<void> => {
    const steps = [postOne, postOne, postOne, postBatch, update, remove, removeAndUndo, createAndDeleteEndpoint];
    while (!isStopped) {
      try {
        await (pick(steps) ?? postOne)();
        writtenRecords.acknowledgedSteps += 1;
      } catch (error) {
        // A refused request is a defect. A broken connection is expected when the test kills the server.
        if (error instanceof RefusedWrite) throw error;
        return;
      }
    }
  };

  return { ended: run(), stop: () => (isStopped = true) };
};

/** Starts several writers. `ended` rejects if a write was refused. */
export const startWriters = (
  server: OwnerClient,
  writtenRecords: WrittenRecords,
  writerCount: number,
  round: number,
) => {
  const loadWriters = Array.from({ length: writerCount }, (_, index) =>
    startWriter(server, writtenRecords, `r${round}w${index}`),
  );
  const ended = Promise.all(loadWriters.map((writer) => writer.ended));
  ended.catch(() => undefined);
  return { ended, stop: () => loadWriters.forEach((writer) => writer.stop()) };
};

export type StoredRecords = Map<string, { endpoint: string; data: Data }>;

/** Returns the lost, unknown and partial writes. Afterwards, `writtenRecords` matches the stored records. */
export const findViolations = (writtenRecords: WrittenRecords, storedRecords: StoredRecords): string[] => {
  const problems: string[] = [];
  const isSame = (a: Data | undefined, b: Data | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);
  for (const [id, entry] of writtenRecords.records) {
    const storedRecord = storedRecords.get(id);
    if (!entry.allowed.some((allowedValue) => isSame(allowedValue, storedRecord?.data))) {
      problems.push(
        `${id} at ${entry.endpoint}: found ${JSON.stringify(storedRecord?.data)?.slice(0, 80)}, which is not allowed`,
      );
    }
    entry.allowed = [storedRecord?.data];
  }
  const batches = new Map<string, number>();
  for (const [id, { endpoint, data }] of storedRecords) {
    if (writtenRecords.records.has(id)) continue;
    if (!writtenRecords.unacknowledgedData.has(data.tag))
      problems.push(`${id} at ${endpoint} has data that no unacknowledged request contained`);
    if (data.batch !== undefined) batches.set(data.batch, (batches.get(data.batch) ?? 0) + 1);
    writtenRecords.records.set(id, { endpoint, allowed: [data] });
  }
  for (const { ids, newData } of writtenRecords.unacknowledgedChanges.values()) {
    const appliedCount = ids.filter((id, index) => isSame(newData[index], storedRecords.get(id)?.data)).length;
    if (appliedCount !== 0 && appliedCount !== ids.length)
      problems.push(`a change of ${ids.length} records was applied to ${appliedCount} of them`);
  }
  writtenRecords.unacknowledgedChanges.clear();
  const sizes = new Map([...writtenRecords.unacknowledgedData.values()].map((data) => [data.batch, data.batchSize]));
  for (const [batch, count] of batches) {
    if (count !== sizes.get(batch)) problems.push(`batch ${batch} is incomplete: ${count} of ${sizes.get(batch)}`);
  }
  writtenRecords.unacknowledgedData.clear();
  return problems;
};

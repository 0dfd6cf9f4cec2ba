import { randomUUID } from 'node:crypto';
import type { Reply } from './http.ts';
import type { Callable } from './import-over-http.ts';

/**
 * Writers that note what they were promised. A call that was answered must have happened; one that was cut off may have happened
 * or not, but never by half.
 */

type Data = { tag: string; batch?: string; of?: number; text: string };
/** What may be stored for an id now: `undefined` means that it is not there. */
type Allowed = (Data | undefined)[];
type Stored = { recordId: string; endpoint: string; data: Data };

export type Promised = {
  /** Record id -> what may be there. One entry: an answer said so. */
  records: Map<string, { endpoint: string; allowed: Allowed }>;
  /** Tags that were sent and not answered. */
  uncertain: Map<string, Data>;
  /** Writer -> the change of several records that was sent and not answered. */
  cutOff: Map<string, { ids: readonly string[]; after: Allowed }>;
  answered: number;
};

export const nothingPromised = (): Promised => ({
  records: new Map(),
  uncertain: new Map(),
  cutOff: new Map(),
  answered: 0,
});

const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(Math.random() * list.length)];
const filler = (): string => 'x'.repeat(Math.floor(Math.random() * 400));

class Refused extends Error {}

const expectStatus = (reply: Reply, status: number): Reply => {
  if (reply.status !== status) throw new Refused(`${reply.status} ${reply.text}`);
  return reply;
};

/** A writer with separate endpoints, so that it knows their content; all write to `load/shared` too. */
const startWriter = (server: Callable, promised: Promised, name: string) => {
  const mine: string[] = [];
  let stopped = false;
  const own = `load/${name}`;

  const created = (sent: readonly Data[], reply: Reply): void => {
    const stored = [reply.json].flat() as Stored[];
    for (const { recordId, endpoint, data } of stored) {
      promised.records.set(recordId, { endpoint, allowed: [data] });
      if (endpoint === own) mine.push(recordId);
    }
    for (const { tag } of sent) promised.uncertain.delete(tag);
  };

  const sending = (data: readonly Data[]): void => {
    for (const one of data) promised.uncertain.set(one.tag, one);
  };

  const postOne = async (): Promise<void> => {
    const data = { tag: randomUUID(), text: filler() };
    const endpoint = pick([own, own, 'load/shared']) ?? own;
    sending([data]);
    created([data], expectStatus(await server.call('POST', `/api/v2.6/data/${endpoint}`, { json: data }), 201));
  };

  const postBatch = async (): Promise<void> => {
    const batch = randomUUID();
    const of = 2 + Math.floor(Math.random() * 300);
    const data = Array.from({ length: of }, () => ({ tag: randomUUID(), batch, of, text: filler() }));
    sending(data);
    const across = Math.random() < 0.5;
    const reply = across
      ? await server.call('POST', '/api/v2.6/data-batch', {
          json: data.map((one, index) => ({ endpoint: index % 2 === 0 ? own : 'load/shared', data: one })),
        })
      : await server.call('POST', `/api/v2.6/data/${own}`, { json: data });
    created(data, expectStatus(reply, 201));
  };

  const change = async (ids: readonly string[], next: (id: string) => Data | undefined, call: () => Promise<void>) => {
    const entries = ids.flatMap((id) => promised.records.get(id) ?? []);
    const after = ids.map(next);
    entries.forEach((entry, index) => entry.allowed.push(after[index]));
    promised.cutOff.set(name, { ids, after });
    await call();
    promised.cutOff.delete(name);
    entries.forEach((entry, index) => {
      entry.allowed = [after[index]];
    });
  };

  const certain = (count: number): string[] =>
    mine
      .filter((id) => {
        const allowed = promised.records.get(id)?.allowed ?? [];
        return allowed.length === 1 && allowed[0] !== undefined;
      })
      .slice(-count);

  const update = async (): Promise<void> => {
    const ids = certain(3);
    const next = new Map(ids.map((id) => [id, { tag: randomUUID(), text: filler() }]));
    if (ids.length === 0) return;
    await change(
      ids,
      (id) => next.get(id),
      async () => {
        const json = ids.map((recordId) => ({ endpoint: own, recordId, data: next.get(recordId) }));
        expectStatus(await server.call('PUT', '/api/v2.6/data', { json }), 201);
      },
    );
  };

  const remove = async (): Promise<void> => {
    const ids = certain(2);
    if (ids.length === 0) return;
    await change(
      ids,
      () => undefined,
      async () => {
        expectStatus(await server.call('DELETE', `/api/v2.6/data?records=${ids.join(',')}`), 200);
      },
    );
  };

  const removeAndUndo = async (): Promise<void> => {
    const ids = certain(4);
    if (ids.length === 0) return;
    const before = new Map(ids.map((id) => [id, promised.records.get(id)?.allowed[0]]));
    let deletion = '';
    await change(
      ids,
      () => undefined,
      async () => {
        const reply = await server.call('POST', '/api/v2.6/owner/deletions', { json: { records: ids } });
        deletion = (expectStatus(reply, 201).json as { deletionId: string }).deletionId;
      },
    );
    if (Math.random() < 0.3) return;
    await change(
      ids,
      (id) => before.get(id),
      async () => {
        expectStatus(await server.call('POST', `/api/v2.6/owner/deletions/${deletion}/undo`), 200);
      },
    );
  };

  /** An endpoint that comes and goes as a whole. */
  const comeAndGo = async (): Promise<void> => {
    const endpoint = `load/${name}-passing`;
    const data = Array.from({ length: 20 }, () => ({ tag: randomUUID(), text: filler() }));
    sending(data);
    const reply = expectStatus(await server.call('POST', `/api/v2.6/data/${endpoint}`, { json: data }), 201);
    created(data, reply);
    const ids = (reply.json as Stored[]).map((record) => record.recordId);
    await change(
      ids,
      () => undefined,
      async () => {
        expectStatus(await server.call('DELETE', `/api/v2.6/data/${endpoint}`), 200);
      },
    );
  };

  const run = async (): Promise<void> => {
    const steps = [postOne, postOne, postOne, postBatch, update, remove, removeAndUndo, comeAndGo];
    while (!stopped) {
      try {
        await (pick(steps) ?? postOne)();
        promised.answered += 1;
      } catch (error) {
        // A refusal is a defect; a broken line is the end that the test makes.
        if (error instanceof Refused) throw error;
        return;
      }
    }
  };

  return { ended: run(), stop: () => (stopped = true) };
};

/** Starts several writers. `ended` rejects when a write was refused. */
export const startLoad = (server: Callable, promised: Promised, writers: number, round: number) => {
  const all = Array.from({ length: writers }, (_, index) => startWriter(server, promised, `r${round}w${index}`));
  const ended = Promise.all(all.map((writer) => writer.ended));
  ended.catch(() => undefined);
  return { ended, stop: () => all.forEach((writer) => writer.stop()) };
};

export type Found = Map<string, { endpoint: string; data: Data }>;

/** Lists broken promises for a person; empty if there are none. Afterwards only existing records are promised. */
export const brokenPromises = (promised: Promised, found: Found): string[] => {
  const problems: string[] = [];
  const same = (a: Data | undefined, b: Data | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);
  for (const [id, entry] of promised.records) {
    const here = found.get(id);
    if (!entry.allowed.some((allowed) => same(allowed, here?.data))) {
      problems.push(
        `${id} at ${entry.endpoint}: found ${JSON.stringify(here?.data)?.slice(0, 80)}, promised otherwise`,
      );
    }
    entry.allowed = [here?.data];
  }
  const batches = new Map<string, number>();
  for (const [id, { endpoint, data }] of found) {
    if (promised.records.has(id)) continue;
    if (!promised.uncertain.has(data.tag)) problems.push(`${id} at ${endpoint} was never sent like this`);
    if (data.batch !== undefined) batches.set(data.batch, (batches.get(data.batch) ?? 0) + 1);
    promised.records.set(id, { endpoint, allowed: [data] });
  }
  for (const { ids, after } of promised.cutOff.values()) {
    const applied = ids.filter((id, index) => same(after[index], found.get(id)?.data)).length;
    if (applied !== 0 && applied !== ids.length)
      problems.push(`a change of ${ids.length} was made to ${applied} of them`);
  }
  promised.cutOff.clear();
  const sizes = new Map([...promised.uncertain.values()].map((data) => [data.batch, data.of]));
  for (const [batch, count] of batches) {
    if (count !== sizes.get(batch)) problems.push(`batch ${batch} is there by half: ${count} of ${sizes.get(batch)}`);
  }
  promised.uncertain.clear();
  return problems;
};

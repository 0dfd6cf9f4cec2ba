import type { z } from 'zod';
import { Failure } from '../../../platform/failure.ts';
import { jsonRefused } from '../../../platform/json/failure.ts';
import { scanEnvelopes, scanJson } from '../../../platform/json/text.ts';
import { hasScope, type Principal, type Scope } from '../../../platform/auth/principal.ts';
import { headResponse, jsonText, type RouteResponse, type Caller } from '../../../platform/http/route.ts';
import { nonOwnerReaderOf, readRecorderOf } from '../../../platform/auth/access-trace.ts';
import { MAX_RECORDS_PER_REQUEST, MAX_UPDATES_PER_REQUEST } from '../../../wire/limits.ts';
import { updateEntrySchema } from '../../../wire/records.ts';
import type { FieldEquality, RecordQueries } from './query-port.ts';
import { namespaceOf, recordList } from './rules.ts';
import { placeOf } from '../../core/sequence.ts';
import type { Origin, RecordService } from './service.ts';

/** What reading, creating and updating records answers, however the caller was let in. */
export type DataCalls = {
  /** @throws Failure rate_limited, or what the order is refused for */
  read(endpoint: string, paging: DataPaging, caller: Caller): RouteResponse | Promise<RouteResponse>;
  /** @throws Failure invalid_json | too_large */
  create(endpoint: string, body: Buffer, caller: Caller, options: { skipEqual: boolean }): Promise<RouteResponse>;
  /** @throws Failure invalid_json | invalid_input | too_large | forbidden | data_missing */
  update(body: Buffer, caller: Caller, mayWrite: (namespace: string) => boolean): Promise<RouteResponse>;
};

export type DataPaging = {
  skip: number;
  take: number;
  orderBy?: string | undefined;
  ordering?: string | undefined;
  meta: boolean;
  /** Only records with these values in top-level fields. */
  equal?: readonly FieldEquality[];
};

/** Records that a read skips by counting them. */
const DEEP_SKIP = 10_000;

export const readScope = (namespace: string): Scope => `records:read:${namespace}`;
export const writeScope = (namespace: string): Scope => `records:write:${namespace}`;

/** Whose record it will be. */
export const originOf = (principal: Principal): Origin => {
  if (principal.kind === 'application') return { kind: 'application', name: principal.application };
  if (principal.kind === 'contract') return { kind: 'contract', name: principal.contract };
  return { kind: 'owner', name: 'owner' };
};

/** @throws Failure too_large when a request holds more than `max` records */
const refuseTooMany = (count: number, max: number): void => {
  if (count <= max) return;
  throw new Failure(
    'too_large',
    `One request can hold ${max} records, this one has ${count}. Nothing was stored. Send them in several requests.`,
  );
};

/** Notes records by their ids. The owner's own calls are not noted. */
export const noteIds = (caller: Caller, records: Iterable<{ endpoint: string; id: string }>): void => {
  const seen = readRecorderOf(caller);
  if (seen === undefined) return;
  for (const { endpoint, id } of records) {
    const seq = placeOf(id);
    if (seq !== undefined) seen(endpoint, [seq]);
  }
};

/**
 * Reads `[{…, data: <any JSON>}]`. `data` stays text, the rest is parsed with `schema`.
 * @throws Failure invalid_json | invalid_input, or too_large above `max` entries
 */
export const readEntries = <S extends z.ZodType>(
  body: Buffer,
  schema: S,
  max: number,
): { entry: z.output<S>; data: string }[] => {
  const scan = scanEnvelopes(body, 'data');
  if (!scan.ok) throw jsonRefused(scan);
  refuseTooMany(scan.count, max);
  if (scan.kind !== 'array') throw new Failure('invalid_input', 'Send an array of records.');
  return scan.envelopes.map(({ raw, rest }, index) => {
    const parsed = schema.safeParse(rest);
    const problem = parsed.success
      ? raw === undefined
        ? 'data: is missing'
        : undefined
      : parsed.error.issues[0]?.message;
    if (!parsed.success || raw === undefined) {
      const path = parsed.success ? 'data' : (parsed.error.issues[0]?.path.join('.') ?? '');
      throw new Failure(
        'invalid_input',
        `Record ${index + 1}: ${path}: ${problem ?? 'not valid'}. Nothing was stored.`,
        {
          details: [{ path: `body.${index}.${path}`, problem: problem ?? 'not valid' }],
        },
      );
    }
    return { entry: parsed.data, data: raw };
  });
};

export const requireAll = (endpoints: Iterable<string>, mayWrite: (namespace: string) => boolean): void => {
  for (const endpoint of endpoints) {
    if (!mayWrite(namespaceOf(endpoint))) {
      throw new Failure('forbidden', `This token may not write in some of the namespaces. Nothing was stored.`);
    }
  }
};

/** Whether a caller's rights let it write in a namespace. */
export const writesOf =
  (principal: Principal) =>
  (namespace: string): boolean =>
    hasScope(principal, writeScope(namespace));

export const createDataCalls = (parts: { records: RecordService; queries: RecordQueries }): DataCalls => {
  const { records, queries } = parts;
  return {
    read(path, paging, caller) {
      const { skip, take, orderBy, meta } = paging;
      const order = paging.ordering === 'descending' ? 'descending' : 'ascending';
      // Nothing of it leaves, so nothing of it was seen.
      const guest = caller.headersOnly ? undefined : nonOwnerReaderOf(caller);
      const { equal = [] } = paging;
      const sorted = orderBy !== undefined && orderBy !== '';
      if (sorted || equal.length > 0) {
        if (caller.headersOnly) return headResponse(200);
        const sort = sorted ? { orderBy } : {};
        return queries.answer([{ endpoint: path, equal }], { ...sort, ordering: order, skip, take, meta, guest });
      }
      const options = { order, skip, take, meta } as const;
      const read = (): RouteResponse | Promise<RouteResponse> =>
        guest === undefined
          ? jsonText(200, records.read(path, options))
          : records.readSeen(path, options, guest).then((text) => jsonText(200, text));
      return skip > DEEP_SKIP ? records.approach(path, options).then(read) : read();
    },

    async create(endpoint, body, caller, { skipEqual }) {
      const scan = scanJson(body);
      if (!scan.ok) throw jsonRefused(scan);
      refuseTooMany(scan.count, MAX_RECORDS_PER_REQUEST);
      const origin = originOf(caller.principal);
      // A skipped element reveals that an equal record exists, so records of others count only if the caller may read them.
      const scope = hasScope(caller.principal, readScope(namespaceOf(endpoint))) ? 'all' : 'own';
      const stored = skipEqual
        ? await records.createDistinct(endpoint, scan.elements, { origin, compareWith: scope })
        : await records.create(
            scan.elements.map((data) => ({ endpoint, data })),
            origin,
          );
      noteIds(caller, stored);
      const [only] = stored;
      if (scan.kind !== 'array' && only !== undefined) return jsonText(201, recordList([only]).subarray(1, -1));
      return jsonText(201, recordList(stored));
    },

    async update(body, caller, mayWrite) {
      const changes = readEntries(body, updateEntrySchema, MAX_UPDATES_PER_REQUEST).map(({ entry, data }) => ({
        endpoint: entry.endpoint,
        recordId: entry.recordId.toLowerCase(),
        data,
      }));
      requireAll(new Set(changes.map((change) => change.endpoint)), mayWrite);
      await records.update(changes, originOf(caller.principal));
      const changed = changes.map(({ endpoint, recordId, data }) => ({ endpoint, id: recordId, data }));
      noteIds(caller, changed);
      return jsonText(201, recordList(changed));
    },
  };
};

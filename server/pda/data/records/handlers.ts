import type { z } from 'zod';
import { Failure } from '../../../platform/failure.ts';
import { toInvalidJsonFailure } from '../../../platform/json/failure.ts';
import { scanEnvelopeBody, scanJsonBody } from '../../../platform/json/body.ts';
import { JSON_LIMITS } from '../../../platform/json/text.ts';
import { hasScope, type Principal, type Scope } from '../../../platform/auth/principal.ts';
import { describeIssue } from '../../../platform/http/request/validation-messages.ts';
import { headResponse, jsonText, type RouteResponse, type Caller } from '../../../platform/http/route.ts';
import { nonOwnerReaderOf, readRecorderOf } from '../../../platform/auth/access-trace.ts';
import { namespaceOf } from '../../../wire/display-name.ts';
import { MAX_RECORDS_PER_REQUEST, MAX_UPDATES_PER_REQUEST } from '../../../wire/limits.ts';
import { updateEntrySchema } from '../../../wire/records.ts';
import type { FieldEquality, RecordQueries } from './query-port.ts';
import { recordList } from './rules.ts';
import { seqOfId } from '../../core/sequence.ts';
import type { Origin, RecordService } from './service.ts';

/** Handlers for reading, creating and updating records, shared by routes with different kinds of authentication. */
export type RecordHandlers = {
  /** @throws Failure rate_limited | query_limit_exceeded */
  read(endpoint: string, paging: PagingOptions, caller: Caller): RouteResponse | Promise<RouteResponse>;
  /**
   * Stores the JSON value in the body, or each element if the value is an array.
   * @throws Failure invalid_json | too_large | forbidden | rate_limited | out_of_disk | query_limit_exceeded |
   *   unavailable
   */
  create(endpoint: string, body: Buffer, caller: Caller, options: { skipEqual: boolean }): Promise<RouteResponse>;
  /** @throws Failure invalid_json | invalid_input | too_large | forbidden | data_missing | out_of_disk */
  update(body: Buffer, caller: Caller, mayWrite: (namespace: string) => boolean): Promise<RouteResponse>;
};

export type PagingOptions = {
  skip: number;
  take: number;
  orderBy?: string | undefined;
  ordering?: string | undefined;
  meta: boolean;
  equal?: readonly FieldEquality[];
};

/** Permits entries whose `data` is nested as deeply as a record: the list and the entry add two levels. */
const ENTRY_JSON_LIMITS = { ...JSON_LIMITS, maxDepth: JSON_LIMITS.maxDepth + 2 };

/** Reads that skip more records than this extend the page-offset index first. */
const DEEP_SKIP_RECORDS = 10_000;

export const readScope = (namespace: string): Scope => `records:read:${namespace}`;
export const writeScope = (namespace: string): Scope => `records:write:${namespace}`;

export const originOf = (principal: Principal): Origin => {
  if (principal.kind === 'application') return { kind: 'application', name: principal.application };
  if (principal.kind === 'contract') return { kind: 'contract', name: principal.contract };
  return { kind: 'owner', name: 'owner' };
};

/** @throws Failure too_large */
const requireMaxRecords = (count: number, max: number): void => {
  if (count <= max) return;
  throw new Failure(
    'too_large',
    `A request can contain up to ${max} records, but this one has ${count}. Nothing was stored. Send them in several requests.`,
  );
};

export const recordAccessByIds = (caller: Caller, records: Iterable<{ endpoint: string; id: string }>): void => {
  const recordReads = readRecorderOf(caller);
  if (recordReads === undefined) return;
  for (const { endpoint, id } of records) {
    const seq = seqOfId(id);
    if (seq !== undefined) recordReads(endpoint, [seq]);
  }
};

/**
 * Parses `[{…, data: <any JSON>}]`. `data` remains JSON text; the other members are parsed with `schema`.
 * @throws Failure invalid_json | invalid_input, or too_large above `max` entries
 */
export const parseEntries = async <S extends z.ZodType>(
  body: Buffer,
  schema: S,
  max: number,
): Promise<{ entry: z.output<S>; data: string }[]> => {
  const scan = await scanEnvelopeBody(body, 'data', ENTRY_JSON_LIMITS);
  if (!scan.ok) throw toInvalidJsonFailure(scan);
  requireMaxRecords(scan.count, max);
  if (scan.kind !== 'array') throw new Failure('invalid_input', 'Send an array of records.');
  return scan.envelopes.map(({ raw, otherMembers }, index) => {
    const parseResult = schema.safeParse(otherMembers, { error: describeIssue });
    if (parseResult.success && raw !== undefined) return { entry: parseResult.data, data: raw };
    const issue = parseResult.success ? { path: ['data'], message: 'is missing' } : parseResult.error.issues[0];
    // Empty if the problem concerns the whole entry, such as an unrecognised member.
    const path = issue?.path.join('.') ?? '';
    const problem = issue?.message ?? 'not valid';
    const reason = path === '' ? problem : `${path}: ${problem}`;
    throw new Failure('invalid_input', `Record ${index + 1}: ${reason}. Nothing was stored.`, {
      details: [{ path: path === '' ? `body.${index}` : `body.${index}.${path}`, problem }],
    });
  });
};

/** @throws Failure forbidden */
export const requireWriteAccess = (endpoints: Iterable<string>, mayWrite: (namespace: string) => boolean): void => {
  for (const endpoint of endpoints) {
    if (!mayWrite(namespaceOf(endpoint))) {
      throw new Failure(
        'forbidden',
        'This token does not allow writing to all of these namespaces. Nothing was stored.',
      );
    }
  }
};

export const writeCheckOf =
  (principal: Principal) =>
  (namespace: string): boolean =>
    hasScope(principal, writeScope(namespace));

export const createRecordHandlers = (parts: { records: RecordService; queries: RecordQueries }): RecordHandlers => {
  const { records, queries } = parts;
  return {
    read(path, paging, caller) {
      const { skip, take, orderBy, meta, equal = [] } = paging;
      const order = paging.ordering === 'descending' ? 'descending' : 'ascending';
      // The response to a HEAD request has no body, so no records are logged as read.
      const nonOwner = caller.headersOnly ? undefined : nonOwnerReaderOf(caller);
      const isSorted = orderBy !== undefined && orderBy !== '';
      if (isSorted || equal.length > 0) {
        if (caller.headersOnly) return headResponse(200);
        const sort = isSorted ? { orderBy } : {};
        return queries.respond([{ endpoint: path, equal }], { ...sort, ordering: order, skip, take, meta, nonOwner });
      }
      const options = { order, skip, take, meta } as const;
      const read = (): RouteResponse | Promise<RouteResponse> =>
        nonOwner === undefined
          ? jsonText(200, records.read(path, options))
          : records.readAsNonOwner(path, options, nonOwner).then((text) => jsonText(200, text));
      return skip > DEEP_SKIP_RECORDS ? records.extendPageOffsets(path, options).then(read) : read();
    },

    async create(endpoint, body, caller, { skipEqual }) {
      const scan = await scanJsonBody(body);
      if (!scan.ok) throw toInvalidJsonFailure(scan);
      requireMaxRecords(scan.count, MAX_RECORDS_PER_REQUEST);
      caller.requireRight();
      const origin = originOf(caller.principal);
      // A skipped element reveals that an equal record exists, so records of other origins count only if the caller may
      // read them.
      const compareWith = hasScope(caller.principal, readScope(namespaceOf(endpoint))) ? 'all' : 'own';
      const storedRecords = skipEqual
        ? await records.createDistinct(endpoint, scan.elements, { origin, compareWith, caller })
        : await records.create(
            scan.elements.map((data) => ({ endpoint, data })),
            origin,
          );
      recordAccessByIds(caller, storedRecords);
      const [first] = storedRecords;
      if (scan.kind !== 'array' && first !== undefined) return jsonText(201, recordList([first]).subarray(1, -1));
      return jsonText(201, recordList(storedRecords));
    },

    async update(body, caller, mayWrite) {
      const entries = await parseEntries(body, updateEntrySchema, MAX_UPDATES_PER_REQUEST);
      const changes = entries.map(({ entry, data }) => ({
        endpoint: entry.endpoint,
        recordId: entry.recordId.toLowerCase(),
        data,
      }));
      caller.requireRight();
      requireWriteAccess(new Set(changes.map((change) => change.endpoint)), mayWrite);
      await records.update(changes, originOf(caller.principal));
      const updatedRecords = changes.map(({ endpoint, recordId, data }) => ({ endpoint, id: recordId, data }));
      recordAccessByIds(caller, updatedRecords);
      return jsonText(201, recordList(updatedRecords));
    },
  };
};

import { z } from 'zod';
import { Failure } from '../../../platform/failure.ts';
import { hasScope } from '../../../platform/auth/principal.ts';
import { json, jsonText, messageResponse, route, type Caller } from '../../../platform/http/route.ts';
import { readRecorderOf } from '../../../platform/auth/access-trace.ts';
import { messageSchema, namespaceSchema, pagingQuery, endpointPathSchema } from '../../../wire/common.ts';
import {
  batchEntrySchema,
  createBodySchema,
  recordListSchema,
  recordSchema,
  sourcesSchema,
  updateEntrySchema,
} from '../../../wire/records.ts';
import { MAX_FIELD_VALUES, MAX_JSON_BODY_BYTES, MAX_RECORDS_PER_REQUEST } from '../../../wire/limits.ts';
import {
  noteIds,
  originOf,
  readEntries,
  readScope,
  requireAll,
  writeScope,
  writesOf,
  type DataCalls,
} from './handlers.ts';
import type { FieldEquality } from './query-port.ts';
import type { DeletionService, Gone } from './deletions/service.ts';
import { namespaceOf, recordList } from './rules.ts';
import type { RecordService, Removed } from './service.ts';

const TAG = 'Data';

const endpointParams = z.strictObject({ namespace: namespaceSchema, endpoint: endpointPathSchema });

/** Notes records that were taken away, with the ids that nothing else knows any more. */
const noteGone = (caller: Caller, records: Iterable<Removed>): void => {
  const seen = readRecorderOf(caller);
  if (seen === undefined) return;
  const gone = (caller.trace.gone ??= new Map());
  for (const { endpoint, seq, id } of records) {
    seen(endpoint, [seq]);
    gone.set(seq, id);
  }
};

const flag = z.enum(['true', 'false']).optional();

const fieldValue = z.union([z.string(), z.array(z.string())]);
const readQuery = z.object({ ...pagingQuery, meta: flag }).catchall(fieldValue);

/** @throws Failure invalid_input when there are more values than one read may compare */
const equalitiesOf = (fields: Readonly<Record<string, unknown>>): FieldEquality[] => {
  const equalities = Object.entries(fields).map(([name, given]) => ({
    name,
    values: [fieldValue.parse(given)].flat(),
  }));
  if (equalities.reduce((sum, { values }) => sum + values.length, 0) <= MAX_FIELD_VALUES) return equalities;
  throw new Failure('invalid_input', `One read compares at most ${MAX_FIELD_VALUES} values of fields.`, {
    details: [{ path: 'query', problem: `compares more than ${MAX_FIELD_VALUES} values` }],
  });
};

/** Ids given as `records=a&records=b` or `records=a,b`. */
const idList = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().flatMap((part) => part.toLowerCase().split(',')))
  .pipe(z.array(z.uuid()).min(1).max(100_000))
  .meta({ description: 'Record ids, repeated or comma-joined', type: 'string' });

export const recordRoutes = (parts: { calls: DataCalls; records: RecordService; deletions: DeletionService }) => {
  const { calls, records, deletions } = parts;
  return [
    route({
      method: 'GET',
      path: '/api/v2.6/data/sources',
      tag: TAG,
      summary: 'What is here: namespaces and their endpoints',
      description: 'Those that the caller may read or write in.',
      access: { auth: 'anyScope', startsWith: 'records:write:' },
      responses: { 200: { description: 'Namespace to the rest of each endpoint in it', schema: sourcesSchema } },
      handler: ({ caller: { principal } }) => {
        const mayWrite = writesOf(principal);
        const mayKnow = (namespace: string): boolean =>
          mayWrite(namespace) || hasScope(principal, readScope(namespace));
        return json(200, records.sources(mayKnow));
      },
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/data/:namespace/*endpoint',
      tag: TAG,
      summary: 'Read the records of an endpoint',
      description:
        'In the order of creation, or by a path in the data. An endpoint without records is an empty list. Any other query key names a top-level ' +
        'field: only records in which it equals the value (text, number, `true` or `false`) are returned. Several keys must all match; a key that is ' +
        'repeated matches any of its values. Filtering comes before `skip` and `take`.',
      access: { auth: 'scopes', scopesFor: ({ params }) => [readScope(params.namespace)] },
      params: endpointParams,
      query: readQuery,
      responses: { 200: { description: 'Records', schema: recordListSchema } },
      errors: ['rate_limited', 'query_limit_exceeded'],
      handler: ({ params, query: { skip, take, orderBy, ordering, meta, ...fields }, caller }) =>
        calls.read(
          `${params.namespace}/${params.endpoint}`,
          { skip, take, orderBy, ordering, meta: meta === 'true', equal: equalitiesOf(fields) },
          caller,
        ),
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/data/:namespace/*endpoint',
      tag: TAG,
      summary: 'Store records',
      description:
        'Any JSON value becomes a record; an array becomes one for each element, all or none. With `skipErrors=true` elements equal to ' +
        'one that is here, or earlier in the array, are left out and the answer lists those that were stored. Without the right to read ' +
        'here, they are compared with what the caller stored itself.',
      access: { auth: 'scopes', scopesFor: ({ params }) => [writeScope(params.namespace)] },
      params: endpointParams,
      query: z.object({ skipErrors: flag }),
      body: { as: 'json-text', schema: createBodySchema, maxBytes: MAX_JSON_BODY_BYTES },
      responses: {
        201: { description: 'The record, or the list of them', schema: z.union([recordSchema, recordListSchema]) },
      },
      handler: ({ params, query, body, caller }) =>
        calls.create(`${params.namespace}/${params.endpoint}`, body, caller, {
          skipEqual: query.skipErrors === 'true',
        }),
    }),
    route({
      method: 'DELETE',
      path: '/api/v2.6/data/:namespace/*endpoint',
      tag: TAG,
      summary: 'Delete all records of an endpoint',
      access: { auth: 'scopes', scopesFor: ({ params }) => [writeScope(params.namespace)] },
      params: endpointParams,
      responses: { 200: { description: 'They are gone; also when there were none', schema: messageSchema } },
      handler: async ({ params, caller }) => {
        const endpoint = `${params.namespace}/${params.endpoint}`;
        const note =
          caller.principal.kind === 'owner'
            ? undefined
            : (gone: Gone): void => {
                noteGone(
                  caller,
                  gone.records.map((record) => ({ endpoint, ...record })),
                );
                caller.trace.unnamed += gone.unnamed;
              };
        await deletions.clearEndpoint(endpoint, originOf(caller.principal), note);
        return messageResponse(200, 'All records deleted');
      },
    }),
    route({
      method: 'PUT',
      path: '/api/v2.6/data',
      tag: TAG,
      summary: 'Replace the data of records',
      description: 'Each keeps its id, endpoint and place. All or none.',
      access: { auth: 'anyScope', startsWith: 'records:write:' },
      body: {
        as: 'json-text',
        schema: z.array(updateEntrySchema.extend({ data: createBodySchema })),
        maxBytes: MAX_JSON_BODY_BYTES,
      },
      responses: { 201: { description: 'The records as they are now', schema: recordListSchema } },
      errors: ['data_missing'],
      handler: ({ body, caller }) => calls.update(body, caller, writesOf(caller.principal)),
    }),
    route({
      method: 'DELETE',
      path: '/api/v2.6/data',
      tag: TAG,
      summary: 'Delete records by id',
      description: 'All or none, and for good.',
      access: { auth: 'anyScope', startsWith: 'records:write:' },
      query: z.object({ records: idList }),
      responses: { 200: { description: 'They are gone', schema: messageSchema } },
      errors: ['data_missing'],
      handler: async ({ query, caller }) => {
        const mayWrite = writesOf(caller.principal);
        noteGone(caller, await records.remove(query.records, mayWrite, originOf(caller.principal)));
        return messageResponse(200, 'All records deleted');
      },
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/data-batch',
      tag: TAG,
      summary: 'Store records at several endpoints',
      description: 'All or none.',
      access: { auth: 'anyScope', startsWith: 'records:write:' },
      body: {
        as: 'json-text',
        schema: z.array(batchEntrySchema.extend({ data: createBodySchema })),
        maxBytes: MAX_JSON_BODY_BYTES,
      },
      responses: { 201: { description: 'The records, in the order they were given', schema: recordListSchema } },
      handler: async ({ body, caller }) => {
        const given = readEntries(body, batchEntrySchema, MAX_RECORDS_PER_REQUEST).map(({ entry, data }) => ({
          endpoint: entry.endpoint,
          data,
        }));
        requireAll(new Set(given.map((record) => record.endpoint)), writesOf(caller.principal));
        const stored = await records.create(given, originOf(caller.principal));
        noteIds(caller, stored);
        return jsonText(201, recordList(stored));
      },
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/data-record/:recordId',
      tag: TAG,
      summary: 'Read one record',
      access: { auth: 'anyScope', startsWith: 'records:read:' },
      params: z.strictObject({ recordId: z.uuid() }),
      responses: { 200: { description: 'The record', schema: recordSchema } },
      errors: ['data_missing'],
      handler: ({ params, caller }) => {
        const found = records.locate(params.recordId);
        // A record of another namespace is answered like one that is not there.
        const isReadable = found !== undefined && hasScope(caller.principal, readScope(namespaceOf(found.endpoint)));
        const text = isReadable ? records.text(found) : undefined;
        if (!isReadable || text === undefined)
          throw new Failure('data_missing', 'Could not find unique record: no record has this id.');
        readRecorderOf(caller)?.(found.endpoint, [found.seq]);
        return jsonText(200, text);
      },
    }),
  ] as const;
};

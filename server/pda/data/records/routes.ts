import { z } from 'zod';
import { Failure } from '../../../platform/failure.ts';
import { hasScope } from '../../../platform/auth/principal.ts';
import { json, jsonText, messageResponse, route, type Caller } from '../../../platform/http/route.ts';
import { readRecorderOf } from '../../../platform/auth/access-trace.ts';
import { endpointPathSchema, jsonSchema, messageSchema, namespaceSchema, pagingQuery } from '../../../wire/common.ts';
import { namespaceOf } from '../../../wire/display-name.ts';
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
  recordAccessByIds,
  originOf,
  parseEntries,
  readScope,
  requireWriteAccess,
  writeScope,
  writeCheckOf,
  type RecordHandlers,
} from './handlers.ts';
import type { FieldEquality } from './query-port.ts';
import type { DeletionService, ClearedRecords } from './deletions/service.ts';
import { recordList } from './rules.ts';
import type { LocatedRecord, RecordService } from './service.ts';

const TAG = 'Data';

const endpointParams = z.strictObject({ namespace: namespaceSchema, endpoint: endpointPathSchema });

/** Logs the ids of deleted records, because they are stored nowhere else after the deletion. */
const recordRemovals = (caller: Caller, records: Iterable<LocatedRecord>): void => {
  const recordReads = readRecorderOf(caller);
  if (recordReads === undefined) return;
  const removedIds = (caller.trace.removedIds ??= new Map());
  for (const { endpoint, seq, id } of records) {
    recordReads(endpoint, [seq]);
    removedIds.set(seq, id);
  }
};

const booleanFlag = z.enum(['true', 'false']).optional();

const fieldValue = z.union([z.string(), z.array(z.string())]);
const readQuery = z.object({ ...pagingQuery, meta: booleanFlag }).catchall(fieldValue);

/** @throws Failure invalid_input if there are more values than one read may compare */
const equalitiesOf = (fields: Readonly<Record<string, unknown>>): FieldEquality[] => {
  const equalities = Object.entries(fields).map(([name, value]) => ({
    name,
    values: [fieldValue.parse(value)].flat(),
  }));
  if (equalities.reduce((sum, { values }) => sum + values.length, 0) <= MAX_FIELD_VALUES) return equalities;
  throw new Failure('invalid_input', `A read can compare at most ${MAX_FIELD_VALUES} field values.`, {
    details: [{ path: 'query', problem: `compares more than ${MAX_FIELD_VALUES} values` }],
  });
};

/** Record ids in the form `records=a&records=b` or `records=a,b`. */
const idList = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => [value].flat().flatMap((part) => part.toLowerCase().split(',')))
  .pipe(z.array(z.uuid()))
  .meta({ description: 'Record ids, repeated or comma-separated', type: 'string' });

export const recordRoutes = (parts: {
  handlers: RecordHandlers;
  records: RecordService;
  deletions: DeletionService;
}) => {
  const { handlers, records, deletions } = parts;
  return [
    route({
      method: 'GET',
      path: '/api/v2.6/data/sources',
      tag: TAG,
      summary: 'List namespaces and their endpoints',
      description: 'Only namespaces that the caller may read or write. Requires the right to write to a namespace.',
      access: { auth: 'anyScope', startsWith: 'records:write:' },
      responses: { 200: { description: 'Endpoint names by namespace', schema: sourcesSchema } },
      handler: ({ caller: { principal } }) => {
        const mayWrite = writeCheckOf(principal);
        const isVisible = (namespace: string): boolean =>
          mayWrite(namespace) || hasScope(principal, readScope(namespace));
        return json(200, records.sources(isVisible));
      },
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/data/:namespace/*endpoint',
      tag: TAG,
      summary: 'Read the records of an endpoint',
      description:
        'In the order of creation, or sorted by a path in the data. An endpoint without records returns an empty list. Any other ' +
        'query key is a condition on a top-level field, which must equal the value (text, number, `true` or `false`). All keys ' +
        'must match; a repeated key matches any of its values. Conditions apply before `skip` and `take`.',
      access: { auth: 'scopes', scopesFor: ({ params }) => [readScope(params.namespace)] },
      params: endpointParams,
      query: readQuery,
      responses: { 200: { description: 'Records', schema: recordListSchema } },
      errors: ['query_limit_exceeded'],
      handler: ({ params, query: { skip, take, orderBy, ordering, meta, ...fields }, caller }) =>
        handlers.read(
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
        'Any JSON value becomes a record. An array becomes one record per element; all elements are stored, or none. With ' +
        '`skipErrors=true`, elements equal to an existing record or an earlier element are skipped, and the response lists the ' +
        'stored records. Without read access, elements are only compared with records that the caller stored. If elements ' +
        'or records above 64 kB cannot be compared within 30 s, nothing is stored (503); repeating the request continues the ' +
        'comparison.',
      access: { auth: 'scopes', scopesFor: ({ params }) => [writeScope(params.namespace)] },
      params: endpointParams,
      query: z.object({ skipErrors: booleanFlag }),
      body: { as: 'json-text', schema: createBodySchema, maxBytes: MAX_JSON_BODY_BYTES },
      responses: {
        201: {
          description: 'The stored record, or the list of stored records',
          schema: z.union([recordSchema, recordListSchema]),
        },
      },
      errors: ['query_limit_exceeded'],
      handler: ({ params, query, body, caller }) =>
        handlers.create(`${params.namespace}/${params.endpoint}`, body, caller, {
          skipEqual: query.skipErrors === 'true',
        }),
    }),
    route({
      method: 'DELETE',
      path: '/api/v2.6/data/:namespace/*endpoint',
      tag: TAG,
      summary: 'Delete all records of an endpoint',
      description: 'Cannot be undone.',
      access: { auth: 'scopes', scopesFor: ({ params }) => [writeScope(params.namespace)] },
      params: endpointParams,
      responses: { 200: { description: 'Deleted, or there were no records', schema: messageSchema } },
      handler: async ({ params, caller }) => {
        const endpoint = `${params.namespace}/${params.endpoint}`;
        const onCleared =
          caller.principal.kind === 'owner'
            ? undefined
            : ({ records: clearedRecords, omittedCount }: ClearedRecords): void => {
                recordRemovals(
                  caller,
                  clearedRecords.map((record) => ({ endpoint, ...record })),
                );
                caller.trace.unnamedCount += omittedCount;
              };
        await deletions.clearEndpoint(endpoint, originOf(caller.principal), onCleared);
        return messageResponse(200, 'All records deleted');
      },
    }),
    route({
      method: 'PUT',
      path: '/api/v2.6/data',
      tag: TAG,
      summary: 'Replace the data of records',
      description:
        'Each record keeps its id, endpoint and position. All records are changed, or none. Use several requests for ' +
        'records whose stored data exceeds 10 MB in total.',
      access: { auth: 'anyScope', startsWith: 'records:write:' },
      body: {
        as: 'json-text',
        schema: z.array(updateEntrySchema.extend({ data: jsonSchema })),
        maxBytes: MAX_JSON_BODY_BYTES,
      },
      responses: { 201: { description: 'The updated records', schema: recordListSchema } },
      errors: ['data_missing'],
      handler: ({ body, caller }) => handlers.update(body, caller, writeCheckOf(caller.principal)),
    }),
    route({
      method: 'DELETE',
      path: '/api/v2.6/data',
      tag: TAG,
      summary: 'Delete records by id',
      description:
        'All records are deleted, or none. Cannot be undone. Use several requests for records that exceed 10 MB in ' +
        'total.',
      access: { auth: 'anyScope', startsWith: 'records:write:' },
      query: z.object({ records: idList }),
      responses: { 200: { description: 'Deleted', schema: messageSchema } },
      errors: ['data_missing', 'too_large'],
      handler: async ({ query, caller }) => {
        const mayWrite = writeCheckOf(caller.principal);
        recordRemovals(caller, await records.remove(query.records, mayWrite, originOf(caller.principal)));
        return messageResponse(200, 'All records deleted');
      },
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/data-batch',
      tag: TAG,
      summary: 'Store records at several endpoints',
      description: 'All records are stored, or none.',
      access: { auth: 'anyScope', startsWith: 'records:write:' },
      body: {
        as: 'json-text',
        schema: z.array(batchEntrySchema.extend({ data: jsonSchema })),
        maxBytes: MAX_JSON_BODY_BYTES,
      },
      responses: { 201: { description: 'The records in the order of the request', schema: recordListSchema } },
      handler: async ({ body, caller }) => {
        const entries = await parseEntries(body, batchEntrySchema, MAX_RECORDS_PER_REQUEST);
        const newRecords = entries.map(({ entry, data }) => ({ endpoint: entry.endpoint, data }));
        caller.requireRight();
        requireWriteAccess(new Set(newRecords.map((record) => record.endpoint)), writeCheckOf(caller.principal));
        const storedRecords = await records.create(newRecords, originOf(caller.principal));
        recordAccessByIds(caller, storedRecords);
        return jsonText(201, recordList(storedRecords));
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
        const location = records.locate(params.recordId);
        // A record that the caller may not read is reported as missing, so that its existence stays secret.
        const isReadable =
          location !== undefined && hasScope(caller.principal, readScope(namespaceOf(location.endpoint)));
        const text = isReadable ? records.text(location) : undefined;
        if (!isReadable || text === undefined)
          throw new Failure('data_missing', 'Could not find unique record: no record has this id.');
        readRecorderOf(caller)?.(location.endpoint, [location.seq]);
        return jsonText(200, text);
      },
    }),
  ] as const;
};

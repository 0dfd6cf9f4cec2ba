import { z } from 'zod';
import { Failure } from '../../platform/failure.ts';
import { holds, type Principal, type Scope } from '../../platform/principal.ts';
import { headersAlone, json, jsonText, message, route, type Answer, type Caller } from '../../platform/route.ts';
import { MAX_RECORDS_PER_REQUEST } from '../../wire/limits.ts';
import { messageSchema, namespaceSchema, pagingQuery, pathNameSchema } from '../../wire/common.ts';
import {
  batchEntrySchema,
  createBodySchema,
  recordListSchema,
  recordSchema,
  sourcesSchema,
  updateEntrySchema,
} from '../../wire/records.ts';
import type { QueryService } from '../queries/service.ts';
import { guestOf, seenBy } from '../../platform/trace.ts';
import type { DeletionService, Gone } from './deletions.ts';
import { jsonRefused } from '../../platform/json/json-failure.ts';
import { scanEnvelopes, scanJson } from '../../platform/json/json-text.ts';
import { namespaceOf, recordList, recordText } from './rules.ts';
import { placeOf } from './sequence.ts';
import type { Origin, RecordService, Removed } from './service.ts';

const TAG = 'Data';

const readScope = (namespace: string): Scope => `records:read:${namespace}`;
const writeScope = (namespace: string): Scope => `records:write:${namespace}`;

const endpointParams = z.strictObject({ namespace: namespaceSchema, endpoint: pathNameSchema });

const refuseTooMany = (count: number): void => {
  if (count <= MAX_RECORDS_PER_REQUEST) return;
  throw new Failure(
    'too_large',
    `One request can hold ${MAX_RECORDS_PER_REQUEST} records, this one has ${count}. Nothing was stored.`,
  );
};

/** Whose record it will be. */
export const originOf = (principal: Principal): Origin =>
  principal.kind === 'application'
    ? { kind: 'application', name: principal.application }
    : { kind: 'owner', name: 'owner' };

const textAnswer = (text: Buffer | AsyncGenerator<string | Buffer>): Answer => jsonText(200, text);

/** Notes records by their ids. The owner's own calls are not noted. */
const noteIds = (caller: Caller, records: Iterable<{ endpoint: string; id: string }>): void => {
  const seen = seenBy(caller);
  if (seen === undefined) return;
  for (const { endpoint, id } of records) {
    const seq = placeOf(id);
    if (seq !== undefined) seen(endpoint, [seq]);
  }
};

/** Notes records that were taken away, with the ids that nothing else knows any more. */
const noteGone = (caller: Caller, records: Iterable<Removed>): void => {
  const seen = seenBy(caller);
  if (seen === undefined) return;
  const gone = (caller.trace.gone ??= new Map());
  for (const { endpoint, seq, id } of records) {
    seen(endpoint, [seq]);
    gone.set(seq, id);
  }
};

const flag = z.enum(['true', 'false']).optional();

/** Reads `[{…, <member>: <any JSON>}]`: the member stays text, the rest is checked. @throws Failure invalid_json | invalid_input */
const readEntries = <S extends z.ZodType>(body: Buffer, schema: S): { entry: z.output<S>; data: string }[] => {
  const scan = scanEnvelopes(body, 'data');
  if (!scan.ok) throw jsonRefused(scan);
  refuseTooMany(scan.count);
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

const requireAll = (principal: Principal, endpoints: Iterable<string>): void => {
  for (const endpoint of endpoints) {
    if (!holds(principal, writeScope(namespaceOf(endpoint)))) {
      throw new Failure('forbidden', `This token may not write in some of the namespaces. Nothing was stored.`);
    }
  }
};

/** Ids given as `records=a&records=b` or `records=a,b`. */
const idList = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().flatMap((part) => part.toLowerCase().split(',')))
  .pipe(z.array(z.uuid()).min(1).max(100_000))
  .meta({ description: 'Record ids, repeated or comma-joined', type: 'string' });

export const recordRoutes = (parts: { records: RecordService; deletions: DeletionService; queries: QueryService }) => {
  const { records, deletions, queries } = parts;
  return [
    route({
      method: 'GET',
      path: '/api/v2.6/data/sources',
      tag: TAG,
      summary: 'What is here: namespaces and their endpoints',
      access: { want: 'some-scope', startsWith: 'records:write:' },
      responses: { 200: { description: 'Namespace to the rest of each endpoint in it', schema: sourcesSchema } },
      handler: () => json(200, records.sources()),
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/data/:namespace/*endpoint',
      tag: TAG,
      summary: 'Read the records of an endpoint',
      description: 'In the order of creation, or by a path in the data. An endpoint without records is an empty list.',
      access: { want: 'scopes', of: ({ params }) => [readScope(params.namespace)] },
      params: endpointParams,
      query: z.object({ ...pagingQuery, meta: flag }),
      responses: { 200: { description: 'Records', schema: recordListSchema } },
      errors: ['rate_limited'],
      handler: ({ params, query, caller }): Answer | Promise<Answer> => {
        const path = `${params.namespace}/${params.endpoint}`;
        const { skip, take, orderBy } = query;
        const order = query.ordering === 'descending' ? 'descending' : 'ascending';
        const meta = query.meta === 'true';
        // Nothing of it leaves, so nothing of it was seen.
        const guest = caller.headersOnly ? undefined : guestOf(caller);
        if (orderBy !== undefined && orderBy !== '') {
          if (caller.headersOnly) return headersAlone(200);
          return queries.answer([{ endpoint: path }], { orderBy, ordering: order, skip, take, meta, guest });
        }
        const options = { order, skip, take, meta } as const;
        return guest === undefined
          ? textAnswer(records.read(path, options))
          : records.readSeen(path, options, guest).then(textAnswer);
      },
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/data/:namespace/*endpoint',
      tag: TAG,
      summary: 'Store records',
      description:
        'Any JSON value becomes a record; an array becomes one for each element, all or none. With `skipErrors=true` elements equal to ' +
        'one that is here, or earlier in the array, are left out and the answer lists those that were stored.',
      access: { want: 'scopes', of: ({ params }) => [writeScope(params.namespace)] },
      params: endpointParams,
      query: z.object({ skipErrors: flag }),
      body: { as: 'json-text', schema: createBodySchema },
      responses: {
        201: { description: 'The record, or the list of them', schema: z.union([recordSchema, recordListSchema]) },
      },
      handler: async ({ params, query, body, caller }) => {
        const scan = scanJson(body);
        if (!scan.ok) throw jsonRefused(scan);
        refuseTooMany(scan.count);
        const endpoint = `${params.namespace}/${params.endpoint}`;
        const given = scan.elements.map((data) => ({ endpoint, data }));
        const stored = await records.create(given, originOf(caller.principal), {
          skipEqual: query.skipErrors === 'true',
        });
        noteIds(caller, stored);
        const [only] = stored;
        if (scan.kind !== 'array' && only !== undefined)
          return jsonText(201, recordText(endpoint, only.id, only.data.toString()));
        return jsonText(201, recordList(stored));
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/v2.6/data/:namespace/*endpoint',
      tag: TAG,
      summary: 'Delete all records of an endpoint',
      access: { want: 'scopes', of: ({ params }) => [writeScope(params.namespace)] },
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
        return message(200, 'All records deleted');
      },
    }),
    route({
      method: 'PUT',
      path: '/api/v2.6/data',
      tag: TAG,
      summary: 'Replace the data of records',
      description: 'Each keeps its id, endpoint and place. All or none.',
      access: { want: 'some-scope', startsWith: 'records:write:' },
      body: { as: 'json-text', schema: z.array(updateEntrySchema.extend({ data: createBodySchema })) },
      responses: { 201: { description: 'The records as they are now', schema: recordListSchema } },
      errors: ['data_missing'],
      handler: async ({ body, caller }) => {
        const changes = readEntries(body, updateEntrySchema).map(({ entry, data }) => ({
          endpoint: entry.endpoint,
          recordId: entry.recordId.toLowerCase(),
          data,
        }));
        requireAll(caller.principal, new Set(changes.map((change) => change.endpoint)));
        await records.update(changes, originOf(caller.principal));
        const changed = changes.map(({ endpoint, recordId, data }) => ({ endpoint, id: recordId, data }));
        noteIds(caller, changed);
        return jsonText(201, recordList(changed));
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/v2.6/data',
      tag: TAG,
      summary: 'Delete records by id',
      description: 'All or none, and for good.',
      access: { want: 'some-scope', startsWith: 'records:write:' },
      query: z.object({ records: idList }),
      responses: { 200: { description: 'They are gone', schema: messageSchema } },
      errors: ['data_missing'],
      handler: async ({ query, caller }) => {
        const mayWrite = (namespace: string): boolean => holds(caller.principal, writeScope(namespace));
        noteGone(caller, await records.remove(query.records, mayWrite, originOf(caller.principal)));
        return message(200, 'All records deleted');
      },
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/data-batch',
      tag: TAG,
      summary: 'Store records at several endpoints',
      description: 'All or none.',
      access: { want: 'some-scope', startsWith: 'records:write:' },
      body: { as: 'json-text', schema: z.array(batchEntrySchema.extend({ data: createBodySchema })) },
      responses: { 201: { description: 'The records, in the order they were given', schema: recordListSchema } },
      handler: async ({ body, caller }) => {
        const given = readEntries(body, batchEntrySchema).map(({ entry, data }) => ({
          endpoint: entry.endpoint,
          data,
        }));
        requireAll(caller.principal, new Set(given.map((record) => record.endpoint)));
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
      access: { want: 'some-scope', startsWith: 'records:read:' },
      params: z.strictObject({ recordId: z.uuid() }),
      responses: { 200: { description: 'The record', schema: recordSchema } },
      errors: ['data_missing'],
      handler: ({ params, caller }) => {
        const found = records.find(params.recordId);
        // A record of another namespace is answered like one that is not there.
        if (found === undefined || !holds(caller.principal, readScope(namespaceOf(found.endpoint)))) {
          throw new Failure('data_missing', 'Could not find unique record: no record has this id.');
        }
        seenBy(caller)?.(found.endpoint, [found.record.seq]);
        return jsonText(200, recordText(found.endpoint, found.record.id, found.record.data));
      },
    }),
  ] as const;
};

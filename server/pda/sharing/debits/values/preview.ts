import { setImmediate as nextTurn } from 'node:timers/promises';
import { Failure } from '../../../../platform/failure.ts';
import type { Principal } from '../../../../platform/auth/principal.ts';
import type { Narrowing, PreviewRequest, SharingPreview } from '../../../../wire/debits.ts';
import type { NamedBundle } from '../../../../wire/query.ts';
import { isObject } from '../../../../wire/values.ts';
import type { QueryService, Text } from '../../../data/queries/service.ts';
import type { Endpoints } from '../../../data/records/service.ts';
import { narrow, outputFields, type GrantedBundle, type GrantedProperty } from '../permissions/narrowing-rules.ts';
import { sharedBundleOf } from '../permissions/mapping.ts';
import type { DebitService } from '../service.ts';
import type { DebitValues } from './reader.ts';

/** Previews the records that a request would share, as JSON chunks of a `SharingPreview`. */
export type PreviewService = ReturnType<typeof createPreviewService>;

type BundlePreviewRequest = {
  requestedBundle: NamedBundle;
  conditions: NamedBundle | null;
  narrowing: Narrowing | undefined;
  skip: number;
  take: number;
};

type PropertyHead = Omit<SharingPreview['properties'][number], 'records'>;

/** Number of newest records that are parsed to list the fields if entire records are shared. */
const SAMPLE_RECORDS = 50;

const orderOf = ({ orderBy, ordering }: GrantedProperty) => ({
  orderBy: orderBy ?? undefined,
  ordering: ordering ?? ('ascending' as const),
});

/** Reads the first chunks before it returns the stream, so that an error in these chunks becomes an error response. */
const startStream = async (chunks: AsyncGenerator<string>): Promise<AsyncGenerator<string>> => {
  const firstChunks: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    const next = await chunks.next();
    if (next.done !== true) firstChunks.push(next.value);
  }
  return (async function* allChunks() {
    yield* firstChunks;
    yield* chunks;
  })();
};

export const createPreviewService = (parts: {
  debits: DebitService;
  debitValues: DebitValues;
  queries: QueryService;
  endpoints: Endpoints;
  /** Returns records as stored JSON. */
  newestRecords: (endpoint: string, count: number) => string[];
}) => {
  const { debits, debitValues, queries, endpoints, newestRecords } = parts;

  const sampleFields = (path: string): string[] => {
    const fields = new Set<string>();
    for (const text of newestRecords(path, SAMPLE_RECORDS)) {
      const data: unknown = JSON.parse(text);
      if (!isObject(data)) continue;
      for (const name of Object.keys(data)) fields.add(name);
    }
    return [...fields];
  };

  /** Returns the number of visible records in total (`matching`) and within the limit (`leaving`). */
  const countsOf = async (property: GrantedProperty): Promise<{ matching: number; leaving: number }> => {
    const visibleEntries = property.endpoints.filter(({ show }) => show !== 'nothing');
    const matching = await queries.count(visibleEntries);
    const limit = property.limit ?? Number.POSITIVE_INFINITY;
    if (visibleEntries.length === property.endpoints.length) return { matching, leaving: Math.min(matching, limit) };
    // Hidden records count towards the limit, as in the original request.
    if (limit >= (await queries.count(property.endpoints))) return { matching, leaving: matching };
    const keys = await queries.keys(property.endpoints, { ...orderOf(property), skip: 0, take: limit });
    let visibleCount = 0;
    // `keys` contains pairs of entry index and sequence number.
    for (let index = 0; index < keys.length; index += 2)
      if (property.endpoints[keys[index] ?? 0]?.show !== 'nothing') visibleCount += 1;
    return { matching, leaving: visibleCount };
  };

  /** Reads only visible entries, because hidden entries do not change the order of the others. */
  const pageOf = async (property: GrantedProperty, skip: number, take: number): Promise<Text> => {
    if (take <= 0) return '[]';
    const visibleEntries = property.endpoints.filter(({ show }) => show !== 'nothing');
    return queries.read(visibleEntries, { ...orderOf(property), skip, take });
  };

  const propertyOf = async (
    name: string,
    requestedProperty: GrantedProperty,
    granted: GrantedProperty | undefined,
    { skip, take }: { skip: number; take: number },
  ): Promise<{ head: string; page: Text }> => {
    const counts = granted === undefined ? { matching: 0, leaving: 0 } : await countsOf(granted);
    const page = granted === undefined ? '[]' : await pageOf(granted, skip, Math.min(take, counts.leaving - skip));
    const head: PropertyHead = { property: name, ...counts, limit: requestedProperty.limit ?? null, entries: [] };
    for (const [index, { endpoint, mapping }] of requestedProperty.endpoints.entries()) {
      const fields = outputFields(mapping);
      head.entries.push({
        endpoint,
        endpointRecords: endpoints.summary(endpoint)?.records ?? 0,
        entire: fields === null,
        fields: fields ?? sampleFields(endpoint),
        excluded: granted === undefined || granted.endpoints[index]?.show === 'nothing',
      });
      // Yields to the event loop after each entry, because `sampleFields` parses records.
      await nextTurn();
    }
    return { head: JSON.stringify(head).slice(0, -1), page };
  };

  /** Yields records as they are read, because a page can be large. */
  async function* previewChunks(
    requestedBundle: GrantedBundle,
    granted: GrantedBundle,
    conditions: NamedBundle | null,
    page: { skip: number; take: number },
  ): AsyncGenerator<string> {
    let bytes = 0;
    let separator = '{"properties":[';
    for (const [name, property] of Object.entries(requestedBundle)) {
      const preview = await propertyOf(name, property, Object.hasOwn(granted, name) ? granted[name] : undefined, page);
      yield `${separator}${preview.head},"records":`;
      separator = ',';
      for await (const chunk of typeof preview.page === 'string' ? [preview.page] : preview.page) {
        bytes += Buffer.byteLength(chunk);
        yield chunk;
      }
      yield '}';
    }
    const conditionState =
      conditions === null ? {} : { conditions: await debitValues.checkConditions(conditions.bundle) };
    yield `],${JSON.stringify({ ...conditionState, bytes }).slice(1)}`;
  }

  return {
    /** @throws Failure not_found | invalid_input | query_limit_exceeded */
    previewPermission(key: string, owner: Principal, { permissionId, narrowing, skip, take }: PreviewRequest) {
      const debit = debits.findStored(key, owner);
      const permission = debit.permissions.find(({ id }) => id === permissionId);
      if (permission === undefined) throw new Failure('not_found', 'This Data Debit has no such permission.');
      const { requestedBundle, conditions } = permission;
      const granted =
        narrowing === undefined ? sharedBundleOf(permission).bundle : narrow(requestedBundle.bundle, narrowing);
      return startStream(previewChunks(requestedBundle.bundle, granted, conditions, { skip, take }));
    },

    /** @throws Failure invalid_input | query_limit_exceeded */
    previewBundle: ({ requestedBundle, conditions, narrowing, skip, take }: BundlePreviewRequest) =>
      startStream(
        previewChunks(requestedBundle.bundle, narrow(requestedBundle.bundle, narrowing), conditions, { skip, take }),
      ),
  };
};

import { setImmediate as nextTurn } from 'node:timers/promises';
import { isoTime, isoTimeOrNull } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import { namespaceOf } from '../../../../wire/display-name.ts';
import type { EndpointDisplay, NamespaceDisplay } from '../../../../wire/fields.ts';
import type { EndpointSummary } from '../../../../wire/owner.ts';
import type { TableSelection } from '../../../../wire/table.ts';
import { decodeInSlices } from '../../../../platform/json/text-slices.ts';
import type { EndpointStore, Origin } from '../../../core/endpoint-store.ts';
import type { TableService, TablePage } from '../../queries/table/service.ts';
import { recordHead } from '../rules.ts';
import type { RecordService } from '../service.ts';
import type { ContentRow, RecordStore } from '../store.ts';

export type BrowseService = ReturnType<typeof createBrowseService>;
export type BrowseRequest = { endpoint: string; selection: TableSelection; skip: number; take: number };

/** Bytes of records after which a read yields to the event loop. */
const CHUNK_BYTES = 256_000;
const ENDPOINTS_PER_TURN = 200;

export type BrowseParts = {
  store: Pick<RecordStore, 'findWithContent'>;
  endpoints: EndpointStore;
  records: RecordService;
  table: Pick<TableService, 'page'>;
  displayOf: (endpoint: string, namespaceDisplay: NamespaceDisplay) => EndpointDisplay;
  namespaceDisplayOf: (namespace: string) => NamespaceDisplay | undefined;
  /** Returns the names and colours of fields that the owner chose, by endpoint. */
  ownFieldChoices: () => ReadonlyMap<string, Pick<EndpointSummary, 'fieldNames' | 'fieldColours'>>;
};

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u;

/** Converts an origin for a response. The reference of an import is not a UUID if the records are example data. */
export const originToWire = ({ kind, name, reference }: Required<Origin>) => {
  if (kind === 'function') return { kind, name, run: reference };
  return kind === 'import' && UUID.test(reference) ? { kind, name, import: reference } : { kind, name };
};

/** The methods return JSON texts of `EndpointSummary[]`, `BrowsePage` and `BrowsedRecord`. */
export const createBrowseService = (parts: BrowseParts) => {
  const { store, endpoints, records, table, displayOf, namespaceDisplayOf, ownFieldChoices } = parts;

  /** Returns the JSON text before and after the data of a record. */
  const frameOf = (row: ContentRow, path: string): { head: string; tail: string } => {
    const metadata = {
      dateCreated: isoTime(row.created),
      lastUpdated: isoTime(row.updated ?? row.created),
      bytes: row.bytes,
      origin: originToWire(endpoints.originOf(row.origin)),
    };
    return {
      head: `${recordHead(path)}${row.id}","data":`,
      tail: `,${JSON.stringify(metadata).slice(1)}`,
    };
  };

  const findPage = async ({ endpoint, selection, skip, take }: BrowseRequest): Promise<TablePage> => {
    const { search, filters, sorts, oldestFirst } = selection;
    if (search !== '' || filters.length > 0 || sorts.length > 0) return table.page(endpoint, selection, { skip, take });
    const order = oldestFirst ? 'ascending' : 'descending';
    const total = endpoints.summary(endpoint)?.records ?? 0;
    await records.extendPageOffsets(endpoint, { order, skip });
    return { total, leftOut: 0, indexing: false, seqs: records.seqs(endpoint, { order, skip, take }) };
  };

  async function* pageChunks({ seqs, ...page }: TablePage, path: string): AsyncGenerator<string | Buffer> {
    yield `${JSON.stringify(page).slice(0, -1)},"records":[`;
    let bufferedChunks: (string | Buffer)[] = [];
    let bytes = 0;
    let separator = '';
    for (const seq of seqs) {
      const row = store.findWithContent(seq);
      // The record may have been deleted or moved since the page was selected.
      if (row === undefined || endpoints.pathOf(row.endpoint) !== path) continue;
      const { head, tail } = frameOf(row, path);
      bufferedChunks.push(separator, head);
      separator = ',';
      bytes += row.bytes;
      if (bytes < CHUNK_BYTES) {
        bufferedChunks.push(row.data, tail);
        continue;
      }
      for (const chunk of bufferedChunks) yield chunk;
      yield* decodeInSlices(row.data);
      [bufferedChunks, bytes] = [[tail], 0];
      await nextTurn();
    }
    yield Buffer.concat(bufferedChunks.map((chunk) => Buffer.from(chunk)));
    yield ']}';
  }

  return {
    async endpoints(): Promise<string> {
      const fieldChoices = ownFieldChoices();
      const namespaceDisplays = new Map<string, NamespaceDisplay | undefined>();
      const texts: string[] = [];
      for (const row of endpoints.list()) {
        if (texts.length > 0 && texts.length % ENDPOINTS_PER_TURN === 0) await nextTurn();
        const namespace = namespaceOf(row.path);
        if (!namespaceDisplays.has(namespace)) namespaceDisplays.set(namespace, namespaceDisplayOf(namespace));
        const namespaceDisplay = namespaceDisplays.get(namespace);
        const summary: EndpointSummary = {
          endpoint: row.path,
          ...displayOf(row.path, namespaceDisplay ?? {}),
          ...fieldChoices.get(row.path),
          ...(namespaceDisplay === undefined ? {} : { namespaceDisplay }),
          records: row.records,
          bytes: row.bytes,
          firstRecord: isoTimeOrNull(row.first_created),
          lastRecord: isoTimeOrNull(row.last_created),
          lastChange: isoTimeOrNull(row.last_change),
        };
        texts.push(JSON.stringify(summary));
      }
      return `[${texts.join(',')}]`;
    },

    page: async (request: BrowseRequest) => pageChunks(await findPage(request), request.endpoint),

    /** @throws Failure not_found */
    record(id: string): AsyncGenerator<string | Buffer> {
      const location = records.locate(id);
      const row = location === undefined ? undefined : store.findWithContent(location.seq);
      if (location === undefined || row === undefined)
        throw new Failure('not_found', 'There is no record with this id.');
      return (async function* chunks() {
        const { head, tail } = frameOf(row, location.endpoint);
        yield head;
        yield* decodeInSlices(row.data);
        yield tail;
      })();
    },
  };
};

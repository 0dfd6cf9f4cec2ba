import { ID_BYTES } from '../../core/sequence.ts';

/** Returns the start of a record's JSON, before its id. All records of an endpoint share it. */
export const recordHead = (endpoint: string): string => `{"endpoint":${JSON.stringify(endpoint)},"recordId":"`;

export const recordText = (endpoint: string, id: string, data: string): string =>
  `${recordHead(endpoint)}${id}","data":${data}}`;

const ARRAY_OPEN = 0x5b;
const ARRAY_CLOSE = 0x5d;
const OBJECT_CLOSE = 0x7d;
const COMMA = 0x2c;
const DATA_MEMBER = '","data":';

export const recordList = (records: readonly { endpoint: string; id: string; data: string | Buffer }[]): Buffer => {
  const heads = new Map<string, Buffer>();
  let size = 2 + Math.max(0, records.length - 1);
  for (const { endpoint, data } of records) {
    let head = heads.get(endpoint);
    if (head === undefined) heads.set(endpoint, (head = Buffer.from(recordHead(endpoint))));
    size += head.length + ID_BYTES + DATA_MEMBER.length + Buffer.byteLength(data) + 1;
  }
  const list = Buffer.allocUnsafe(size);
  let offset = 0;
  list[offset++] = ARRAY_OPEN;
  for (const { endpoint, id, data } of records) {
    if (offset > 1) list[offset++] = COMMA;
    const head = heads.get(endpoint);
    if (head !== undefined) offset += head.copy(list, offset);
    offset += list.write(`${id}${DATA_MEMBER}`, offset, 'latin1');
    offset += typeof data === 'string' ? list.write(data, offset) : data.copy(list, offset);
    list[offset++] = OBJECT_CLOSE;
  }
  list[offset] = ARRAY_CLOSE;
  return list;
};

/** Maximum bytes of the records of one page. A larger record is read separately, slice by slice. */
export const PAGE_BYTES_MAX = 1_000_000;

/** Returns how many records of these sizes in bytes fit into a page. The first one always fits. */
export const recordsPerPage = (sizes: readonly number[]): number => {
  let bytes = 0;
  for (const [index, size] of sizes.entries()) {
    bytes += size;
    if (bytes > PAGE_BYTES_MAX) return Math.max(1, index);
  }
  return sizes.length;
};

/** Target size of the chunks of a streamed response. */
const CHUNK_BYTES = 400_000;
const MAX_CHUNK_RECORDS = 1000;

/** @param bytes total of all records */
export const recordsPerChunk = (records: number, bytes: number): number =>
  records === 0
    ? MAX_CHUNK_RECORDS
    : Math.max(1, Math.min(MAX_CHUNK_RECORDS, Math.floor(CHUNK_BYTES / Math.max(1, bytes / records))));

/** Reads rows until the sum of their sizes reaches `max`. The row that reaches it is included. */
export const takeUpTo = <Row>(rows: Iterable<Row>, sizeOf: (row: Row) => number, max: number): Row[] => {
  const batch: Row[] = [];
  let size = 0;
  for (const row of rows) {
    batch.push(row);
    size += sizeOf(row);
    if (size >= max) break;
  }
  return batch;
};

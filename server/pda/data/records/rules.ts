import { ID_BYTES } from '../../core/sequence.ts';

/** Pure decisions about records. */

export const namespaceOf = (endpoint: string): string => endpoint.slice(0, endpoint.indexOf('/'));

/** Returns the start of a record's JSON up to its id, which all records of an endpoint share. */
export const recordHead = (endpoint: string): string => `{"endpoint":${JSON.stringify(endpoint)},"recordId":"`;

/** Returns a record as JSON text, given the stored text of its data. */
export const recordText = (endpoint: string, id: string, data: string): string =>
  `${recordHead(endpoint)}${id}","data":${data}}`;

const OPEN = 0x5b;
const CLOSE = 0x5d;
const COMMA = 0x2c;
const DATA = '","data":';

/** Returns records as a JSON array, without decoding data that was received as bytes. */
export const recordList = (records: readonly { endpoint: string; id: string; data: string | Buffer }[]): Buffer => {
  const heads = new Map<string, Buffer>();
  let size = 2 + Math.max(0, records.length - 1);
  for (const { endpoint, data } of records) {
    let head = heads.get(endpoint);
    if (head === undefined) heads.set(endpoint, (head = Buffer.from(recordHead(endpoint))));
    size += head.length + ID_BYTES + DATA.length + Buffer.byteLength(data) + 1;
  }
  const list = Buffer.allocUnsafe(size);
  let at = 0;
  list[at++] = OPEN;
  for (const { endpoint, id, data } of records) {
    if (at > 1) list[at++] = COMMA;
    const head = heads.get(endpoint);
    if (head !== undefined) at += head.copy(list, at);
    at += list.write(`${id}${DATA}`, at, 'latin1');
    at += typeof data === 'string' ? list.write(data, at) : data.copy(list, at);
    list[at++] = 0x7d;
  }
  list[at] = CLOSE;
  return list;
};

/** Bytes of the records of one page. A larger record is read separately, slice by slice. */
export const PAGE_BYTES_MAX = 1_000_000;

/** Returns how many records fit into a page, given their sizes in bytes: at least one. */
export const recordsPerPage = (sizes: readonly number[]): number => {
  let bytes = 0;
  for (const [index, size] of sizes.entries()) {
    bytes += size;
    if (bytes > PAGE_BYTES_MAX) return Math.max(1, index);
  }
  return sizes.length;
};

/** Bytes of one chunk of a streamed response. */
const CHUNK_BYTES = 400_000;
const MAX_CHUNK_RECORDS = 1000;

/** Returns the records per chunk. It balances memory for large records against round trips for small ones. */
export const recordsPerChunk = (records: number, bytes: number): number =>
  records === 0
    ? MAX_CHUNK_RECORDS
    : Math.max(1, Math.min(MAX_CHUNK_RECORDS, Math.floor(CHUNK_BYTES / Math.max(1, bytes / records))));

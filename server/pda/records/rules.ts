/** Pure decisions about records. */

export const namespaceOf = (endpoint: string): string => endpoint.slice(0, endpoint.indexOf('/'));

/** The start of a record's JSON up to its id: the same for all records of an endpoint. */
export const recordHead = (endpoint: string): string => `{"endpoint":${JSON.stringify(endpoint)},"recordId":"`;

/** A record as JSON text, from the stored text of its data. */
export const recordText = (endpoint: string, id: string, data: string): string =>
  `${recordHead(endpoint)}${id}","data":${data}}`;

/** Bytes that are read in one piece of a streamed answer. */
const PIECE_BYTES = 400_000;
const MAX_PIECE_RECORDS = 1000;

/** Records per piece, so that a piece is neither a megabyte of large records nor a hundred round trips for small ones. */
export const recordsPerPiece = (records: number, bytes: number): number =>
  records === 0
    ? MAX_PIECE_RECORDS
    : Math.max(1, Math.min(MAX_PIECE_RECORDS, Math.floor(PIECE_BYTES / Math.max(1, bytes / records))));

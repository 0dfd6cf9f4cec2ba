/** Limits on the amount of stored data that one request may process. */

/**
 * Bytes of the stored records that one request changes or deletes by id, unless it is a single record. They are read in
 * one transaction.
 */
export const CHANGED_RECORDS_MAX_BYTES = 10_000_000;
/**
 * Total size in bytes of the requests for one Data Debit key, above which further requests are refused. All of them
 * are kept, as the history of the Data Debit.
 */
export const DEBIT_KEY_REQUESTS_MAX_BYTES = 1_000_000;
/**
 * Total size in bytes of an application's requests, except for removed Data Debits, above which further requests are
 * refused.
 */
export const APPLICATION_REQUESTS_MAX_BYTES = 10_000_000;
/** Maximum age in milliseconds of the inferred field types of a changed endpoint. */
export const FIELD_RESAMPLE_INTERVAL_MS = 10_000;
/**
 * Maximum number of records, and bytes of their data, that one transaction of a longer operation examines, such as
 * the deletion of many records. The record that reaches the limit ends the transaction, which blocks the event loop.
 */
export const TRANSACTION_MAX_RECORDS = 100;
export const TRANSACTION_MAX_BYTES = 500_000;
/**
 * Milliseconds that one call of an SQL function may take in the maintenance thread, which builds indexes while writes
 * wait. A call processes one record.
 */
export const MAINTENANCE_CALL_MAX_MS = 30_000;
/** Milliseconds in which the worker of an export must encode one chunk: up to 300 records, or a single large one. */
export const EXPORT_CHUNK_MAX_MS = 60_000;
/** Bytes at the start of a text file that are searched. */
export const SEARCHED_TEXT_FILE_MAX_BYTES = 1_000_000;
/** Bytes of a PDF above which its text is not read. */
export const SEARCHED_PDF_MAX_BYTES = 32_000_000;
/** Pages at the start of a PDF that are searched. */
export const SEARCHED_PDF_MAX_PAGES = 1000;
/** Bytes of the text of a file, in UTF-8, that are searched. */
export const FILE_TEXT_MAX_BYTES = 100_000;
/** Bytes of the texts of all files, from which the text of further files is left out of the search. */
export const FILE_TEXTS_MAX_BYTES = 1_000_000_000;
/** Milliseconds for reading the text of a file. */
export const FILE_TEXT_READ_MAX_MS = 60_000;
/**
 * Bytes of a JSON text up to which the main thread computes the digest by which `skipErrors`, imports and moves compare
 * values. This takes up to 10 ms, because the members of an object are sorted. Reader threads do it for larger texts. A
 * smaller limit requires a migration like 0048, which makes the indexes contain the digests of larger records.
 */
export const COMPARED_ON_MAIN_THREAD_MAX_BYTES = 64_000;
/**
 * Milliseconds after its arrival at which a request with `skipErrors` fails if the digests of large values are not
 * complete. Digests of stored records are kept, so that repeating the request continues the work.
 */
export const COMPARISON_MAX_MS = 30_000;
/**
 * Query indexes of one endpoint. The main thread updates all of them for each stored record, and parses one of 10 MB at
 * least once per index. Queries without an index run in reader threads.
 */
export const ENDPOINT_MAX_INDEXES = 12;
/**
 * Endpoints at which one application, contract or function has records: lists of endpoints contain all of them. `limits`
 * in config.json overrides it.
 */
export const APPLICATION_MAX_ENDPOINTS = 1000;
/**
 * Bytes of a TopoJSON file that is imported. It is parsed as a whole, in a worker thread with 256 MB, in which arrays of
 * small numbers take ten times their bytes in the file.
 */
export const TOPOLOGY_MAX_BYTES = 16_000_000;
/**
 * Coordinates of the geometry of one record from TopoJSON. A geometry can refer to the same arc any number of times, so
 * they are counted before they are decoded. With all digits, more of them would exceed the bytes of a record.
 */
export const TOPOLOGY_RECORD_MAX_COORDINATES = 600_000;
/**
 * Coordinates of all records from one TopoJSON file, counted before the first one is stored. Each arc can be part of
 * every record, so a file of 16 MB could otherwise become terabytes.
 */
export const TOPOLOGY_MAX_COORDINATES = 20_000_000;

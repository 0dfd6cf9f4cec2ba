// Limits that bound the work on stored data.

/** Total size of the records that one request changes or deletes in one transaction. A single record may be larger. */
export const CHANGED_RECORDS_MAX_BYTES = 10_000_000;
/** Total size of the requests for one Data Debit key, which are kept as its history. Further ones are refused. */
export const DEBIT_KEY_REQUESTS_MAX_BYTES = 1_000_000;
/** Total size of an application's requests, except those of removed Data Debits. Further requests are refused. */
export const APPLICATION_REQUESTS_MAX_BYTES = 10_000_000;
export const FIELD_RESAMPLE_INTERVAL_MS = 10_000;
/**
 * Records, and bytes of their data, that one transaction of a longer operation examines. The record that reaches a
 * limit ends the transaction.
 */
export const TRANSACTION_MAX_RECORDS = 100;
export const TRANSACTION_MAX_BYTES = 500_000;
/** Time limit of one call of an SQL function, which processes one record, while indexes are built and writes wait. */
export const MAINTENANCE_CALL_MAX_MS = 30_000;
/** Time limit for the export worker to encode one chunk: up to 300 records, or a single large one. */
export const EXPORT_CHUNK_MAX_MS = 60_000;
/** Searched part of a text file, from its start. */
export const SEARCHED_TEXT_FILE_MAX_BYTES = 1_000_000;
/** Size of a PDF above which its text is not read. */
export const SEARCHED_PDF_MAX_BYTES = 32_000_000;
export const SEARCHED_PDF_MAX_PAGES = 1000;
export const FILE_TEXT_MAX_BYTES = 100_000;
/** Total size of the searchable texts. Beyond it, the texts of further files cannot be searched. */
export const FILE_TEXTS_MAX_BYTES = 1_000_000_000;
export const FILE_TEXT_READ_MAX_MS = 60_000;
/**
 * Size of a JSON text up to which the main thread computes the digest by which `skipErrors`, imports and moves compare
 * values. This takes up to 10 ms, because the members of an object are sorted. Reader threads do it for larger texts. A
 * smaller limit needs a migration like 0048, which discards the fingerprint indexes of endpoints with larger records.
 */
export const COMPARED_ON_MAIN_THREAD_MAX_BYTES = 64_000;
/**
 * Time limit for comparing the values of a request with `skipErrors`, and for repeating failed attempts to compare
 * large records. Digests are kept, so that a repeated request continues the work.
 */
export const COMPARISON_MAX_MS = 30_000;
/** The main thread updates all indexes for each stored record. Queries without an index run in reader threads. */
export const ENDPOINT_MAX_INDEXES = 12;
/**
 * Endpoints at which one application, contract or function can have records. Limited, because lists of endpoints are
 * not paged. `limits` in config.json overrides it.
 */
export const APPLICATION_MAX_ENDPOINTS = 1000;
/**
 * A TopoJSON file is parsed as a whole in a thread with 256 MB, where small numbers take ten times their size in the
 * file.
 */
export const TOPOLOGY_MAX_BYTES = 16_000_000;
/** Coordinates are counted before they are decoded: a geometry can refer to the same arc any number of times. */
export const TOPOLOGY_RECORD_MAX_COORDINATES = 600_000;
/** Coordinates are counted before the first record is stored: a file of 16 MB could otherwise become terabytes. */
export const TOPOLOGY_MAX_COORDINATES = 20_000_000;

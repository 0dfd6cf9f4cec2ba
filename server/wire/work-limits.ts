/** Limits on the work of one request at data that earlier requests have stored. */

/**
 * Bytes of the stored records that one request changes or deletes by id, unless it is a single record. They are read in
 * one transaction.
 */
export const CHANGED_RECORDS_MAX_BYTES = 10_000_000;
/**
 * Bytes of the requests for Data Debits under one key from which no further ones are accepted. All of them are kept, as
 * the history of the Data Debit.
 */
export const DEBIT_KEY_REQUESTS_MAX_BYTES = 1_000_000;
/**
 * Bytes of the requests of one application, without those of removed Data Debits, from which no further ones are
 * accepted.
 */
export const APPLICATION_REQUESTS_MAX_BYTES = 10_000_000;
/** Milliseconds after which the types of the fields of a changed endpoint are inferred again at the latest. */
export const FIELD_RESAMPLE_INTERVAL_MS = 10_000;

/** Limits on the work of one request at data that earlier requests have stored. */

/**
 * Bytes of the stored records that one request changes or deletes by id, unless it is a single record. They are read in
 * one transaction.
 */
export const CHANGED_RECORDS_MAX_BYTES = 10_000_000;
/**
 * Bytes of the requests for Data Debits under one key, and of one application, from which no further ones are accepted.
 * All of them are kept, as the history of the Data Debit. Those of removed Data Debits do not count for the application.
 */
export const DEBIT_KEY_REQUESTS_MAX_BYTES = 1_000_000;
export const APPLICATION_REQUESTS_MAX_BYTES = 10_000_000;

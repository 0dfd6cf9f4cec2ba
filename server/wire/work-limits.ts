/**
 * Limits on the work of one request at data that earlier requests have stored. They are part of `limits.ts`, which
 * exports them.
 */

/**
 * Characters of a record up to which `skipErrors` compares it as a JSON value. A longer record is compared as text:
 * ordering the keys of 10 MB would block the event loop for seconds.
 */
export const VALUE_COMPARISON_MAX_CHARS = 100_000;
/**
 * Bytes of the stored records that one request changes or deletes by id, unless it is a single record. They are read in
 * one transaction.
 */
export const CHANGED_RECORDS_MAX_BYTES = 10_000_000;

/** Limits of the interface, with units in their names. The OpenAPI document lists them and those in work-limits.ts. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Bytes of a JSON request body with records to store, including batches. */
export const MAX_JSON_BODY_BYTES = 10_000_000;
/** Bytes of a JSON request body on routes without a larger limit. */
export const SMALL_BODY_MAX_BYTES = 64_000;
/** Bytes of a JSON request body that defines a query, Data Debit, application, Offer or file, or reports statistics. */
export const DEFINITION_BODY_MAX_BYTES = 1_000_000;
/** Bytes of the owner's request to delete records: 100,000 IDs. */
export const DELETION_BODY_MAX_BYTES = 4_000_000;
/**
 * After the response to a request whose body is still being sent: bytes that are discarded, so that the client reads
 * the response instead of a connection reset, and milliseconds for which bytes are discarded. Twice the largest JSON
 * body, because some clients send the whole body before they read.
 */
export const LINGERING_CLOSE_MAX_BYTES = 2 * MAX_JSON_BODY_BYTES;
export const LINGERING_CLOSE_TIMEOUT_MS = 10 * SECOND;
/** Bytes of an unread body up to which the connection is kept for the next request. */
export const KEEP_ALIVE_DISCARD_MAX_BYTES = 64_000;
/**
 * Records that one request or one function run can store. They are stored in one transaction, which blocks the event
 * loop for about 50 ms at this size.
 */
export const MAX_RECORDS_PER_REQUEST = 10_000;
/** Records that one request can update, in one transaction. An update costs four times as much as an insert. */
export const MAX_UPDATES_PER_REQUEST = 2_500;
/** Levels of arrays and objects in stored JSON. */
export const MAX_JSON_DEPTH = 100;
/** Bytes of all request headers together. */
export const MAX_HEADER_BYTES = 16_384;
/** Characters of a name in a path ("any valid URL path"): combinators, bundles, Data Debit keys. */
export const MAX_PATH_NAME_CHARS = 200;

/** Milliseconds. "A token is valid 72 hours." */
export const TOKEN_VALIDITY_MS = 72 * HOUR;
/** Milliseconds. "Renewal can continue for up to 30 days after the initial authentication." */
export const TOKEN_RENEWAL_MS = 30 * DAY;
/** Milliseconds. A token for another service is for one sign-in only. */
export const SERVICE_TOKEN_VALIDITY_MS = 15 * MINUTE;
/** Milliseconds for which a renewed token is reused: signing one for each response would cost most of the speed. */
export const RENEWAL_REUSE_MS = MINUTE;

/**
 * Burst of sign-in attempts: per address (IPv6: per network), per account, and per account from each network that it
 * signed in from.
 */
export const SIGN_IN_BURST = 10;
/** Milliseconds until one more attempt is allowed. */
export const SIGN_IN_INTERVAL_MS = 2 * SECOND;
/** Number of networks with successful sign-ins that are remembered per account, newest first. */
export const MAX_SIGN_IN_NETWORKS = 20;
/** Milliseconds without a sign-in after which a network is forgotten. */
export const SIGN_IN_NETWORK_MS = 90 * DAY;

/** Characters from which a password is accepted unless it is trivial. Shorter passwords need `MIN_PASSWORD_SCORE`. */
export const LONG_PASSWORD_CHARS = 12;
/** Score (0 to 4) for how hard a password is to guess, which a shorter password needs. */
export const MIN_PASSWORD_SCORE = 3;
/** Characters. Bounds the cost of hashing. */
export const MAX_PASSWORD_CHARS = 1000;
/** Characters of a sign-in name: percent-encoded it must fit into a header. */
export const MAX_USER_NAME_CHARS = 100;

/** Bytes of all records that one application, contract or function creates. `limits` in config.json overrides it. */
export const APPLICATION_RECORDS_MAX_BYTES = 10_000_000_000;
/** Disk space that only the owner may fill with records: these bytes or this share of the disk, whichever is less. */
export const RECORD_RESERVE_MAX_BYTES = 1_000_000_000;
export const RECORD_RESERVE_DISK_SHARE = 0.05;
/** Milliseconds for which a measurement of the free disk space is used. */
export const DISK_SPACE_VALIDITY_MS = 5 * SECOND;
/** Applications, contracts and functions whose record storage the system status lists, largest first. */
export const STATUS_RECORD_CREATORS_MAX = 3;

/** Number of records in a list if `take` is not given. There is no maximum: responses stream. */
export const DEFAULT_TAKE = 1000;

/** Bytes of one file to import. */
export const MAX_IMPORT_BYTES = 20_000_000_000;
/** Number of files in one import, as parts of one export. */
export const MAX_IMPORT_FILES = 200;
/** Longest name of an object member that leads to a list of records in an imported JSON file. */
export const MAX_LIST_NAME_CHARS = 200;
/** Bytes of one chunk of an uploaded import. */
export const MAX_IMPORT_CHUNK_BYTES = 64_000_000;
/** Milliseconds for which deleted records and endpoints can be restored in the dashboard. */
export const DELETED_RECORDS_KEPT_MS = 30 * DAY;
/** Days for which earlier versions of records are kept: until the owner changes it, and at most. */
export const RECORD_VERSION_DAYS = 30;
export const MAX_RECORD_VERSION_DAYS = 365;
/** Earlier versions of one record. A further one replaces the oldest. */
export const MAX_RECORD_VERSIONS = 100;
/** Bytes of the earlier versions of all records. Beyond them the oldest are dropped. */
export const RECORD_VERSIONS_MAX_BYTES = 1_000_000_000;
/** Milliseconds for which a deleted file can be restored. Files are large and mostly deleted to free disk space. */
export const DELETED_FILES_KEPT_MS = 24 * HOUR;
/** Maximum number of records of one deletion that one request restores. */
export const RESTORED_RECORDS_MAX = 1000;
/** Bytes of a record up to which an excerpt of it is read. */
export const EXCERPT_SOURCE_MAX_BYTES = 4000;
/** Characters of an excerpt of a record. */
export const EXCERPT_MAX_CHARS = 160;
/** Milliseconds for which the address of one download is valid. */
export const DOWNLOAD_TICKET_MS = MINUTE;
/** Characters of a URL from a third party. */
export const MAX_URL_CHARS = 2000;
/** Seconds of a Data Debit's period: a hundred years, which is still a valid date. */
export const MAX_PERIOD_SECONDS = 100 * 366 * (DAY / SECOND);

/** Milliseconds for which a webhook is retried before it becomes a dead letter. */
export const OUTBOX_RETRY_MS = 3 * DAY;
/** Milliseconds for which the owner sees a dead letter. */
export const DEAD_LETTER_RETENTION_MS = 30 * DAY;
/** Milliseconds for the receiver's response to a webhook. */
export const OUTBOX_TIMEOUT_MS = 10 * SECOND;

/** Concurrent long reads of one application, user or contract: reads of many records, or searches without an index. */
export const MAX_LONG_READS = 2;

/** Milliseconds that a reader thread may work on one read: of the owner, and of any other principal. */
export const OWNER_READ_MS = MINUTE;
export const NON_OWNER_READ_MS = 15 * SECOND;
/** Bytes of records that one read may examine on the main thread, counted once per condition, and milliseconds. */
export const MAIN_THREAD_READ_BYTES = 1_000_000;
export const MAIN_THREAD_READ_MS = 25;
/** Bytes of records above which a read of a non-owner counts as a long read. */
export const LONG_READ_BYTES = 4_000_000;

/** Bytes of a picture at a third party's URL. */
export const MAX_PICTURE_BYTES = 512_000;
/** Milliseconds for the download of a picture. */
export const PICTURE_TIMEOUT_MS = 5 * SECOND;
/** Milliseconds for one external status check of an application. */
export const STATUS_CHECK_MS = 5 * SECOND;
/** Milliseconds for which the outcome of a status check is cached. */
export const STATUS_CACHE_MS = MINUTE;

/** Bytes of one file. */
export const MAX_FILE_BYTES = 5_000_000_000;
/** Bytes of all files that one application uploads. `limits` in config.json overrides it. */
export const MAX_APPLICATION_FILES_BYTES = 20_000_000_000;
/** Bytes of disk space that uploads by non-owners must leave free. */
export const DISK_RESERVE_BYTES = 200_000_000;
/** Bytes of a file's name. */
export const MAX_FILE_NAME_BYTES = 255;
/** Tags of one file. */
export const MAX_FILE_TAGS = 100;
/** Files that the owner changes with one request. */
export const MAX_BULK_FILES = 500;
/** Bytes of the former tags of these files, which a request to undo the change contains. */
export const BULK_TAGS_MAX_BYTES = 700_000;
/** Number of files that one application may have announced without completing them. */
export const MAX_UNFINISHED_FILES = 1000;
/**
 * Milliseconds after which an announced file without content is removed; its upload address was valid for five
 * minutes.
 */
export const ANNOUNCED_FILE_MS = DAY;
/** Milliseconds after which uploaded content is removed if the application does not complete the file. */
export const UNFINISHED_FILE_MS = 7 * DAY;
/** Milliseconds. "The URL is signed and valid for a limited time (most likely 5 minutes)." */
export const CONTENT_URL_MS = 5 * MINUTE;
/** Share links of one account. */
export const MAX_SHARE_LINKS = 1000;
/** Files of one share link. A link to a folder has no limit. */
export const MAX_SHARE_LINK_FILES = 100;
/** Largest limit of opened files that the owner can set for a share link. */
export const MAX_SHARE_LINK_OPENS = 1_000_000;
/** Files on one page of a share link. */
export const SHARE_PAGE_FILES = 200;
/** Milliseconds for which the page of a share link can open files before it must be loaded again. */
export const SHARE_PASS_MS = HOUR;
/** Invitations of one account, ended ones included. */
export const MAX_INVITATIONS = 500;
/** Files that an invitation can share. */
export const MAX_INVITATION_FILES = 1000;
/** Longest validity of an invitation, in days. */
export const MAX_INVITATION_DAYS = 90;
/** Folders that the owner shares with users; each user counts. */
export const MAX_SHARED_FOLDERS = 500;
/** Collections that the owner shares with users; each user counts. */
export const MAX_SHARED_COLLECTIONS = 500;
/** Collections of one account. */
export const MAX_COLLECTIONS = 1000;
export const MAX_COLLECTION_NAME_CHARS = 100;
/** Files of one collection. Files that were deleted and can come back do not count. */
export const MAX_COLLECTION_FILES = 10_000;
/** Files that one request adds to a collection or removes from it. */
export const MAX_COLLECTION_FILES_PER_REQUEST = 500;
/** Files on one guest page. */
export const GUEST_PAGE_FILES = 100;
/** Tables and charts that the owner shares with users; each user counts. */
export const MAX_SHARED_VIEWS = 500;
/** Columns of a shared table. */
export const MAX_SHARED_COLUMNS = 40;
/** Characters of the name of a shared table or chart, and of one of its columns. */
export const MAX_SHARED_VIEW_NAME_CHARS = 120;
/** Records on one page of a shared table, and characters of one of its cells. */
export const SHARED_TABLE_PAGE_RECORDS = 50;
export const SHARED_CELL_MAX_CHARS = 200;
/** Records and characters of a cell in the CSV file of a shared table. */
export const SHARED_CSV_MAX_RECORDS = 100_000;
export const SHARED_CSV_CELL_MAX_CHARS = 2000;
/** Shared charts: rows of the table of values, drawn points, and listed records per day of a calendar. */
export const MAX_SHARED_CHART_ROWS = 1000;
export const MAX_SHARED_CHART_POINTS = 1000;
export const MAX_SHARED_DAY_RECORDS = 20;
/** Files in the archive that a guest, or an anonymous reader of a share link, downloads. */
export const MAX_ARCHIVE_FILES = 5000;
/** Bytes of one chunk of a resumable upload. */
export const MAX_FILE_CHUNK_BYTES = 64_000_000;

/** Megabytes (of 1,048,576 bytes). "Function memory | 128 MB to 3008 MB". */
export const MIN_FUNCTION_MEMORY_MB = 128;
export const MAX_FUNCTION_MEMORY_MB = 3008;
export const DEFAULT_FUNCTION_MEMORY_MB = 128;
/** Milliseconds. "Function running time | 5 minutes maximum". */
export const MAX_FUNCTION_RUN_MS = 5 * MINUTE;
/** Bytes. "Function request size | 6 MB maximum". */
export const MAX_FUNCTION_REQUEST_BYTES = 6_000_000;
/** Bytes of the output of a run: as much as one request may store. */
export const MAX_FUNCTION_OUTPUT_BYTES = MAX_JSON_BODY_BYTES;
/** Bytes of a function's published definition, and of a bundle that it requests. */
export const MAX_FUNCTION_PUBLISHED_BYTES = 1_000_000;
/** Bytes. "Function deployment package | 250 MB maximum". */
export const MAX_FUNCTION_PACKAGE_BYTES = 250_000_000;
/** Bytes of a package's manifest. */
export const MAX_FUNCTION_MANIFEST_BYTES = 64_000;
/** Maximum number of concurrent function runs; others are queued. */
export const MAX_CONCURRENT_FUNCTION_RUNS = 2;
/** Number of runs in the history of one function. */
export const MAX_FUNCTION_RUNS_KEPT = 10_000;
/** Bytes. "Function ephemeral disk | 512 MB, not persistent between runs". */
export const MAX_FUNCTION_SCRATCH_BYTES = 512_000_000;
/** Bytes and lines of console output of one run. */
export const MAX_FUNCTION_LOG_BYTES = 64_000;
export const MAX_FUNCTION_LOG_LINES = 1000;
/** Number of feed items in one response. */
export const MAX_FEED_ITEMS = 1000;

/** Number of events in one report of a PDA to the exchange. */
export const MAX_REPORTED_EVENTS = 1000;
/** Milliseconds. Lifetime of tokens by which a PDA proves its identity to a service. */
export const PROOF_VALIDITY_MS = 5 * MINUTE;
/** Milliseconds. Lifetime of the short-lived token of a contract. */
export const SHORT_LIVED_TOKEN_MS = 15 * MINUTE;
/** Milliseconds for one SQL statement of a service. */
export const STATEMENT_MS = 5 * SECOND;
/** Registrations of one PDA address: burst, and milliseconds until one more is allowed. */
export const REGISTRATION_BURST = 5;
export const REGISTRATION_INTERVAL_MS = MINUTE;

/** Milliseconds of one TOTP step (RFC 6238), and number of steps that the clock may deviate in either direction. */
export const CODE_STEP_MS = 30 * SECOND;
export const CODE_STEPS_OFF = 1;
/**
 * Milliseconds between the secret of an authenticator app and its first code, and for the response to a passkey
 * challenge.
 */
export const SECOND_FACTOR_STEP_MS = 10 * MINUTE;
export const PASSKEY_CHALLENGE_MS = 5 * MINUTE;
/** Milliseconds for which the challenge on a page of guests is valid: its reader may first think of a name. */
export const GUEST_PASSKEY_CHALLENGE_MS = 30 * MINUTE;
/** Wrong codes with the right password per day after which codes are refused: there are only a million codes. */
export const MAX_WRONG_CODES_A_DAY = 10;
export const RECOVERY_CODES = 10;
/** Passkeys of the owner, and of each guest. */
export const MAX_PASSKEYS = 20;
export const MAX_PASSKEY_NAME_CHARS = 60;
/** COSE identifiers of the algorithms that a passkey may use: ES256, Ed25519 and RS256. */
export const PASSKEY_ALGORITHMS = [-7, -8, -257] as const;
/** Characters of the header `x-second-factor`. */
export const MAX_SECOND_FACTOR_CHARS = 8000;

/**
 * Open remote connections of a server in total, and of one network. Connections from this machine and from a proxy on
 * it do not count.
 */
export const MAX_CONNECTIONS = 2000;
export const MAX_CONNECTIONS_PER_NETWORK = 200;
/**
 * Requests without a valid token of one network: burst, and milliseconds until one more is allowed. Requests from
 * this machine do not count.
 */
export const ANONYMOUS_BURST = 500;
export const ANONYMOUS_INTERVAL_MS = 10;
/** Bytes of a JSON body above which the sender's right is checked before the body is read, and a thread scans it. */
export const LARGE_BODY_BYTES = 256_000;
/**
 * Large bodies of one network without an identified sender: burst, milliseconds until one more is read, and number of
 * concurrent bodies.
 */
export const UNPROVEN_BURST = 3;
export const UNPROVEN_INTERVAL_MS = 10 * SECOND;
export const MAX_UNPROVEN_BODIES = 2;
/** Large responses in flight to non-owners: of one network, and in total. */
export const MAX_CONCURRENT_RESPONSES_PER_NETWORK = 24;
export const MAX_CONCURRENT_RESPONSES = 200;
/** Milliseconds in which a large response must progress by one chunk (16 to 128 KiB). */
export const SLOW_READER_MS = MINUTE;
/** Concurrent password checks of remote callers, and attempts that wait for a check. */
export const MAX_PASSWORD_CHECKS = 2;
export const MAX_WAITING_PASSWORD_CHECKS = 16;
/** Values of fields (`?<field>=<value>`) that one data read may compare each record with. */
export const MAX_FIELD_VALUES = 20;

/**
 * Bytes of a receipt file that `pda verify-receipt` reads, and bits of the RSA keys that it accepts (RFC 7518, 3.3).
 */
export const RECEIPT_FILE_MAX_BYTES = 64_000_000;
export const RSA_KEY_MIN_BITS = 2048;

/** Characters of the path of a field, and fields of one endpoint that types are inferred for. */
export const MAX_FIELD_PATH_CHARS = 400;
export const MAX_FIELDS = 200;
/** Galleries: characters of an embedded picture that is shown: a picture of 750 kB. A gallery holds about a hundred. */
export const EMBEDDED_PICTURE_MAX_CHARS = 1_000_000;
/** Records of an endpoint that types of fields are inferred from; bytes of the largest, and of all together. */
export const MAX_SAMPLED_RECORDS = 400;
export const SAMPLED_RECORD_MAX_BYTES = 32_000;
export const SAMPLE_MAX_BYTES = EMBEDDED_PICTURE_MAX_CHARS + 100_000;
/** If all records are larger, for example because they contain pictures: sampled records, and bytes of the largest. */
export const MAX_LARGE_SAMPLED_RECORDS = 4;
export const LARGE_SAMPLED_RECORD_MAX_BYTES = SAMPLE_MAX_BYTES;
/** Access history: files of an entry that are named. The last one only indicates that there are more. */
export const MAX_NAMED_FILES = 4;
/** Access history: characters and words of a search. */
export const LEDGER_SEARCH_MAX_CHARS = 200;
export const LEDGER_SEARCH_MAX_WORDS = 8;
/**
 * Pictures: bytes of the content that are examined for date, place and camera, milliseconds after which reading a
 * picture is aborted, and characters of the camera's name.
 */
export const PICTURE_READ_MAX_BYTES = 32_000_000;
export const PICTURE_READ_MAX_MS = 60_000;
export const MAX_CAMERA_CHARS = 100;
/** Matches that a search for files by words or tag counts. */
export const COUNTED_MATCHES_MAX = 10_000;
/** Charts that can be pinned to Home. */
export const MAX_PINNED_CHARTS = 12;
/** Charts: records of one page of a time series, bytes of the largest record, and points of a scatter chart. */
export const SERIES_PAGE_RECORDS = 250_000;
export const CHARTED_RECORD_MAX_BYTES = 1_000_000;
export const MAX_CHART_POINTS = 5000;
/** Different values that a count by value returns. */
export const MAX_COUNTED_VALUES = 100;
/** Calendars: days of one view, and records of one day that are listed. */
export const MAX_CALENDAR_DAYS = 42;
export const MAX_CALENDAR_DAY_RECORDS = 100;
/** Timeline: days of one source, months and items in one response, and newest matches of a search. */
export const MAX_TIMELINE_DAYS = 20_000;
export const MAX_TIMELINE_MONTHS = 3000;
export const MAX_TIMELINE_ITEMS = 50;
export const MAX_TIMELINE_MATCHES = 100;
/** Maps: clusters of one view, lines and their points, records of one place, and characters of a record's title. */
export const MAX_MAP_CLUSTERS = 2000;
export const MAX_MAP_LINES = 2000;
export const MAX_MAP_LINE_POINTS = 20_000;
export const MAX_MAP_RECORDS = 100;
export const MAX_RECORD_TITLE_CHARS = 200;

/**
 * Full-text search over all records: characters and words of a search, results, excluded sources, and bytes of a record
 * that is parsed. Of a larger record, the first 100,000 characters of the JSON text are indexed.
 */
export const MAX_RECORD_SEARCH_CHARS = 200;
export const MAX_SEARCH_WORDS = 8;
export const MAX_SEARCH_RESULTS = 50;
export const MAX_EXCLUDED_SOURCES = 1000;
export const SEARCHED_RECORD_MAX_BYTES = 64_000;

/**
 * Table of records: filters, orders, values of one filter, characters of a text in a filter, days of "the last days",
 * and characters of a query parameter with filters or orders. An address with both fits into MAX_HEADER_BYTES.
 */
export const MAX_TABLE_FILTERS = 10;
export const MAX_TABLE_SORTS = 3;
export const MAX_TABLE_VALUES = 50;
export const MAX_FILTER_TEXT_CHARS = 500;
export const MAX_LAST_DAYS = 3660;
export const MAX_TABLE_QUERY_CHARS = 6000;
/** Values of one facet, and records of one export by their ids. */
export const MAX_FACET_VALUES = 20;
export const MAX_EXPORTED_IDS = 10_000;
/** Columns of one export, and characters of the path and of the heading of a column. */
export const MAX_EXPORTED_COLUMNS = 1000;
export const MAX_EXPORTED_PATH_CHARS = 10_000;
export const MAX_EXPORTED_HEADING_CHARS = 200;
/** Records that one request moves to another endpoint. */
export const MAX_MOVED_RECORDS = 10_000;
/** Indexes for the table of records, and milliseconds after which an unused one is dropped. */
export const MAX_TABLE_INDEXES = 20;
export const TABLE_INDEX_UNUSED_MS = 30 * DAY;
/** Saved views of one endpoint. */
export const MAX_RECORD_VIEWS = 50;

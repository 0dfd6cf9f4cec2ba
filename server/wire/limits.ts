// Limits of the interface; text in quotation marks is from its specification (docs/decisions.md). The OpenAPI document
// lists the numbers in this file and in work-limits.ts.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Body with records to store, including batches. */
export const MAX_JSON_BODY_BYTES = 10_000_000;
/** Body of a request to a route without a larger limit. */
export const SMALL_BODY_MAX_BYTES = 64_000;
/**
 * Body with a definition, such as a query, Data Debit, application, Offer or file, with a list of records or files, or
 * with a report of statistics.
 */
export const DEFINITION_BODY_MAX_BYTES = 1_000_000;
/** Records that one request of the owner can delete, and size of its body, which contains the IDs of the records. */
export const MAX_DELETED_RECORDS = 100_000;
export const DELETION_BODY_MAX_BYTES = 4_000_000;
/**
 * If a request is refused while its body is still being sent, the server discards up to this many bytes for up to this
 * time. Otherwise, the client would get a connection reset instead of the response. The number of bytes is twice the
 * size of the largest JSON body, because some clients send the whole body before they read.
 */
export const LINGERING_CLOSE_MAX_BYTES = 2 * MAX_JSON_BODY_BYTES;
export const LINGERING_CLOSE_TIMEOUT_MS = 10 * SECOND;
/** Size of an unread body up to which the connection is kept for the next request. */
export const KEEP_ALIVE_DISCARD_MAX_BYTES = 64_000;
/**
 * Records that one request or function run stores in one transaction, which blocks the event loop for about 50 ms at
 * this number.
 */
export const MAX_RECORDS_PER_REQUEST = 10_000;
/** Records that one request can update, in one transaction. An update costs four times as much as an insert. */
export const MAX_UPDATES_PER_REQUEST = 2_500;
export const MAX_JSON_DEPTH = 100;
export const MAX_HEADER_BYTES = 16_384;
/** Length of a name in a path: of a namespace, endpoint, combinator or bundle, or a Data Debit key. */
export const MAX_PATH_NAME_CHARS = 200;

/** "A token is valid 72 hours." */
export const TOKEN_VALIDITY_MS = 72 * HOUR;
/** "Renewal can continue for up to 30 days after the initial authentication." */
export const TOKEN_RENEWAL_MS = 30 * DAY;
/** Validity of a token that proves the owner's identity to another service. */
export const SERVICE_TOKEN_VALIDITY_MS = 15 * MINUTE;
/** Time for which a renewed token is reused, because signing one for each response would be slow. */
export const RENEWAL_REUSE_MS = MINUTE;

/**
 * Burst of sign-in attempts, and interval after which another one is allowed: per network, per account, per account
 * from each known network, and for all local callers. Other counters limit passwords in the owner's sessions, set-up
 * codes, and each invitation.
 */
export const SIGN_IN_BURST = 10;
export const SIGN_IN_INTERVAL_MS = 2 * SECOND;
/** Networks that are remembered for one account: those with its latest sign-ins. */
export const MAX_SIGN_IN_NETWORKS = 20;
/** Time without a sign-in after which a network is forgotten. */
export const SIGN_IN_NETWORK_MS = 90 * DAY;

/** Length from which a password is accepted unless it is trivial. Shorter passwords need `MIN_PASSWORD_SCORE`. */
export const LONG_PASSWORD_CHARS = 12;
/** Score (0 to 4) for how hard a password is to guess. Required of shorter passwords. */
export const MIN_PASSWORD_SCORE = 3;
/** Bounds the cost of hashing. */
export const MAX_PASSWORD_CHARS = 1000;
/** A percent-encoded sign-in name must fit into a header. */
export const MAX_USER_NAME_CHARS = 100;

/** Total size of the records of one application, contract or function. `limits` in config.json overrides it. */
export const APPLICATION_RECORDS_MAX_BYTES = 10_000_000_000;
/** Disk space that only the owner may fill with records: these bytes or this share of the disk, whichever is less. */
export const RECORD_RESERVE_MAX_BYTES = 1_000_000_000;
export const RECORD_RESERVE_DISK_SHARE = 0.05;
/** Time for which a measurement of the free disk space is used. */
export const DISK_SPACE_VALIDITY_MS = 5 * SECOND;
/** Number of creators of records that the PDA status lists with their sizes, the largest first. */
export const STATUS_RECORD_CREATORS_MAX = 3;

/** Records in a list if `take` is not given. There is no maximum, because responses are streamed. */
export const DEFAULT_TAKE = 1000;

export const MAX_IMPORT_BYTES = 20_000_000_000;
export const MAX_IMPORT_FILES = 200;
/** Length of an object member's name that leads to a list of records in an imported JSON file. */
export const MAX_LIST_NAME_CHARS = 200;
export const MAX_IMPORT_CHUNK_BYTES = 64_000_000;
export const DELETED_RECORDS_KEPT_MS = 30 * DAY;
/** Days for which earlier versions of records are kept: default and maximum. */
export const RECORD_VERSION_DAYS = 30;
export const MAX_RECORD_VERSION_DAYS = 365;
/** Earlier versions, and moves, of one record. Another one replaces the oldest. */
export const MAX_RECORD_VERSIONS = 100;
/** Total size of earlier versions of records. Beyond it, the oldest are dropped. */
export const RECORD_VERSIONS_MAX_BYTES = 1_000_000_000;
/** Time for which a deleted file can be restored. Files are large and mostly deleted to free disk space. */
export const DELETED_FILES_KEPT_MS = 24 * HOUR;
export const RESTORED_RECORDS_MAX = 1000;
/** Size of a record up to which an excerpt of it is read. */
export const EXCERPT_SOURCE_MAX_BYTES = 4000;
export const EXCERPT_MAX_CHARS = 160;
export const DOWNLOAD_TICKET_MS = MINUTE;
export const MAX_URL_CHARS = 2000;
/** Maximum period of a Data Debit: a hundred years, so that its end is a valid date. */
export const MAX_PERIOD_SECONDS = 100 * 366 * (DAY / SECOND);

export const OUTBOX_RETRY_MS = 3 * DAY;
export const DEAD_LETTER_RETENTION_MS = 30 * DAY;
export const OUTBOX_TIMEOUT_MS = 10 * SECOND;

/** Concurrent long reads of one non-owner reader, such as reads of many records. */
export const MAX_LONG_READS = 2;

/** Time for which a reader thread may work on one read: for the owner, and for any other principal. */
export const OWNER_READ_MS = MINUTE;
export const NON_OWNER_READ_MS = 15 * SECOND;
/**
 * Size of the record data that one read may examine on the main thread, and time that the read may take. The data
 * counts once for the read, and once more for each of its conditions.
 */
export const MAIN_THREAD_READ_BYTES = 1_000_000;
export const MAIN_THREAD_READ_MS = 25;
/** Size of the records above which a non-owner's read counts as a long read while its duration is unknown. */
export const LONG_READ_BYTES = 4_000_000;

/** Picture at a third party's URL: size, and time limit of the request. */
export const MAX_PICTURE_BYTES = 512_000;
export const PICTURE_TIMEOUT_MS = 5 * SECOND;
export const STATUS_CHECK_MS = 5 * SECOND;
export const STATUS_CACHE_MS = MINUTE;

export const MAX_FILE_BYTES = 5_000_000_000;
/** Total size of the files that one application uploads. `limits` in config.json overrides it. */
export const MAX_APPLICATION_FILES_BYTES = 20_000_000_000;
/** Disk space that uploads and the import of an account must leave free. */
export const DISK_RESERVE_BYTES = 200_000_000;
export const MAX_FILE_NAME_BYTES = 255;
export const MAX_FILE_TAGS = 100;
export const MAX_BULK_FILES = 500;
/** Size of the former tags of MAX_BULK_FILES files, in the request that undoes a change of tags. */
export const BULK_TAGS_MAX_BYTES = 700_000;
/** Files that one application may have announced without completing them. */
export const MAX_UNFINISHED_FILES = 1000;
/** Time after which an announced file without content is removed. Its upload address was valid for five minutes. */
export const ANNOUNCED_FILE_MS = DAY;
/** Time after which uploaded content is removed if the application does not complete the file. */
export const UNFINISHED_FILE_MS = 7 * DAY;
/** "The URL is signed and valid for a limited time (most likely 5 minutes)." */
export const CONTENT_URL_MS = 5 * MINUTE;
export const MAX_SHARE_LINKS = 1000;
/** Files of one share link. Links to folders and collections have no limit. */
export const MAX_SHARE_LINK_FILES = 100;
export const MAX_SHARE_LINK_OPENS = 1_000_000;
export const SHARE_PAGE_FILES = 200;
/** Time for which the page of a share link can open files before it must be loaded again. */
export const SHARE_PASS_MS = HOUR;
/** Invitations of one account, including ended ones. */
export const MAX_INVITATIONS = 500;
export const MAX_INVITATION_FILES = 1000;
export const MAX_INVITATION_DAYS = 90;
/** Shared folders, like shared collections, count once per user. */
export const MAX_SHARED_FOLDERS = 500;
export const MAX_SHARED_COLLECTIONS = 500;
export const MAX_COLLECTIONS = 1000;
export const MAX_COLLECTION_NAME_CHARS = 100;
/** Files of one collection. Deleted files that can be restored do not count. */
export const MAX_COLLECTION_FILES = 10_000;
export const MAX_COLLECTION_FILES_PER_REQUEST = 500;
export const GUEST_PAGE_FILES = 100;
/** Tables and charts that the owner shares, counted once per user. */
export const MAX_SHARED_VIEWS = 500;
export const MAX_SHARED_COLUMNS = 40;
export const MAX_SHARED_RECORDS = 500;
export const MAX_SHARED_VIEW_NAME_CHARS = 120;
/** Records on one page of a shared table, and length of a cell. */
export const SHARED_TABLE_PAGE_RECORDS = 50;
export const SHARED_CELL_MAX_CHARS = 200;
/** Records in the CSV file of a shared table, and length of a cell. */
export const SHARED_CSV_MAX_RECORDS = 100_000;
export const SHARED_CSV_CELL_MAX_CHARS = 2000;
/** Shared charts: rows of the table of values, drawn points, and listed records per day of a calendar. */
export const MAX_SHARED_CHART_ROWS = 1000;
export const MAX_SHARED_CHART_POINTS = 1000;
export const MAX_SHARED_DAY_RECORDS = 20;
/** Files in the archive that a guest, or an anonymous reader of a share link, downloads. */
export const MAX_ARCHIVE_FILES = 5000;
export const MAX_FILE_CHUNK_BYTES = 64_000_000;

/** Megabytes of 1,048,576 bytes. "Function memory | 128 MB to 3008 MB". */
export const MIN_FUNCTION_MEMORY_MB = 128;
export const MAX_FUNCTION_MEMORY_MB = 3008;
export const DEFAULT_FUNCTION_MEMORY_MB = 128;
/** "Function running time | 5 minutes maximum". */
export const MAX_FUNCTION_RUN_MS = 5 * MINUTE;
/** "Function request size | 6 MB maximum". */
export const MAX_FUNCTION_REQUEST_BYTES = 6_000_000;
export const MAX_FUNCTION_OUTPUT_BYTES = MAX_JSON_BODY_BYTES;
/** Size of a function's published definition, and of a bundle that the function requests. */
export const MAX_FUNCTION_PUBLISHED_BYTES = 1_000_000;
/** "Function deployment package | 250 MB maximum". */
export const MAX_FUNCTION_PACKAGE_BYTES = 250_000_000;
export const MAX_FUNCTION_MANIFEST_BYTES = 64_000;
/** Further runs are queued. */
export const MAX_CONCURRENT_FUNCTION_RUNS = 2;
export const MAX_FUNCTION_RUNS_KEPT = 10_000;
/** "Function ephemeral disk | 512 MB, not persistent between runs". */
export const MAX_FUNCTION_SCRATCH_BYTES = 512_000_000;
export const MAX_FUNCTION_LOG_BYTES = 64_000;
export const MAX_FUNCTION_LOG_LINES = 1000;
export const MAX_FEED_ITEMS = 1000;

export const MAX_REPORTED_EVENTS = 1000;
/** Lifetime of tokens with which a PDA proves its identity to a service. */
export const PROOF_VALIDITY_MS = 5 * MINUTE;
/** Lifetime of the tokens with which the developer of a contract accesses PDAs. */
export const SHORT_LIVED_TOKEN_MS = 15 * MINUTE;
/** Time limit of one PostgreSQL statement. */
export const STATEMENT_MS = 5 * SECOND;
/** Look-ups of a PDA that registers with an exchange or joins a contract, by one network: burst and interval. */
export const REGISTRATION_BURST = 5;
export const REGISTRATION_INTERVAL_MS = MINUTE;

/** One TOTP step (RFC 6238), and number of steps by which the clock may deviate in either direction. */
export const CODE_STEP_MS = 30 * SECOND;
export const CODE_STEPS_OFF = 1;
/** Time limits for entering the first code of a new authenticator app, and for the response to a passkey challenge. */
export const AUTHENTICATOR_SETUP_MAX_MS = 10 * MINUTE;
export const PASSKEY_CHALLENGE_MS = 5 * MINUTE;
/** Validity of a challenge on a guest page. Longer than the owner's, because a guest may first choose a name. */
export const GUEST_PASSKEY_CHALLENGE_MS = 30 * MINUTE;
/** Wrong six-digit codes per day with the right password, after which codes are refused: only a million exist. */
export const MAX_WRONG_CODES_A_DAY = 10;
export const RECOVERY_CODES = 10;
export const MAX_PASSKEYS = 20;
export const MAX_PASSKEY_NAME_CHARS = 60;
/** COSE identifiers of the passkey algorithms ES256, Ed25519 and RS256. */
export const PASSKEY_ALGORITHMS = [-7, -8, -257] as const;
export const MAX_SECOND_FACTOR_CHARS = 8000;

/**
 * Open remote connections in total, and from one network. Connections from this machine to the server's own port, such
 * as those of a reverse proxy, do not count.
 */
export const MAX_CONNECTIONS = 2000;
export const MAX_CONNECTIONS_PER_NETWORK = 200;
/** Requests without a valid token, or new connections, from one network. Those from this machine do not count. */
export const ANONYMOUS_BURST = 500;
export const ANONYMOUS_INTERVAL_MS = 10;
/**
 * Size above which a thread scans a JSON body, and above which the token of a contracted request is verified before the
 * body is parsed.
 */
export const LARGE_BODY_BYTES = 256_000;
/** Large bodies from one network without an identified sender: burst, interval, and number of concurrent bodies. */
export const UNPROVEN_BURST = 3;
export const UNPROVEN_INTERVAL_MS = 10 * SECOND;
export const MAX_UNPROVEN_BODIES = 2;
/** Large responses in flight to non-owners: per network, and in total. */
export const MAX_CONCURRENT_RESPONSES_PER_NETWORK = 24;
export const MAX_CONCURRENT_RESPONSES = 200;
/** Time in which a large response must progress by one chunk (16 to 128 KiB). */
export const SLOW_READER_MS = MINUTE;
/** Concurrent password checks of remote callers, and attempts in each of the two queues for a check. */
export const MAX_PASSWORD_CHECKS = 2;
export const MAX_WAITING_PASSWORD_CHECKS = 16;
/** Values of fields (`?<field>=<value>`) with which one data read may compare each record. */
export const MAX_FIELD_VALUES = 20;

/**
 * Size of a receipt file that `pda verify-receipt` reads, and of the smallest accepted RSA key (RFC 7518, section 3.3).
 */
export const RECEIPT_FILE_MAX_BYTES = 64_000_000;
export const RSA_KEY_MIN_BITS = 2048;

/** Length of a field path, and fields of one endpoint for which types are inferred. */
export const MAX_FIELD_PATH_CHARS = 400;
export const MAX_FIELDS = 200;
/** Galleries: length of an embedded picture that is displayed, about 750 kB of data. */
export const EMBEDDED_PICTURE_MAX_CHARS = 1_000_000;
/** Records of an endpoint from which field types are inferred; size of the largest, and of all together. */
export const MAX_SAMPLED_RECORDS = 400;
export const SAMPLED_RECORD_MAX_BYTES = 32_000;
export const SAMPLE_MAX_BYTES = EMBEDDED_PICTURE_MAX_CHARS + 100_000;
/** Limits that apply instead if all records exceed `SAMPLED_RECORD_MAX_BYTES`, for example with pictures. */
export const MAX_LARGE_SAMPLED_RECORDS = 4;
export const LARGE_SAMPLED_RECORD_MAX_BYTES = SAMPLE_MAX_BYTES;
/** Access history: files that an entry names. The dashboard shows three; a fourth only means that there are more. */
export const MAX_NAMED_FILES = 4;
export const LEDGER_SEARCH_MAX_CHARS = 200;
export const LEDGER_SEARCH_MAX_WORDS = 8;
/** Pictures: size of the searched content, time limit for reading it, and length of the camera's name. */
export const PICTURE_READ_MAX_BYTES = 32_000_000;
export const PICTURE_READ_MAX_MS = 60_000;
export const MAX_CAMERA_CHARS = 100;
/** A file search by words or tag counts up to this number of matches. */
export const COUNTED_MATCHES_MAX = 10_000;
export const MAX_PINNED_CHARTS = 12;
/** Charts: records of one page of a time series, size of the largest record, and points of a scatter chart. */
export const SERIES_PAGE_RECORDS = 250_000;
export const CHARTED_RECORD_MAX_BYTES = 1_000_000;
export const MAX_CHART_POINTS = 5000;
export const MAX_COUNTED_VALUES = 100;
/** Calendars: days of one view, and listed records of one day. */
export const MAX_CALENDAR_DAYS = 42;
export const MAX_CALENDAR_DAY_RECORDS = 100;
/** Timeline: days of one source, months and items in one response, and newest matches of a search. */
export const MAX_TIMELINE_DAYS = 20_000;
export const MAX_TIMELINE_MONTHS = 3000;
export const MAX_TIMELINE_ITEMS = 50;
export const MAX_TIMELINE_MATCHES = 100;
/** Maps: clusters of one view, lines and their points, records of one place, and length of a record's title. */
export const MAX_MAP_CLUSTERS = 2000;
export const MAX_MAP_LINES = 2000;
export const MAX_MAP_LINE_POINTS = 20_000;
export const MAX_MAP_RECORDS = 100;
export const MAX_RECORD_TITLE_CHARS = 200;

/**
 * Full-text search over all records: length of a search and number of its words, results, excluded sources, and size of
 * a record that is parsed. For a larger record, the first 100,000 characters of the JSON text are indexed.
 */
export const MAX_RECORD_SEARCH_CHARS = 200;
export const MAX_SEARCH_WORDS = 8;
export const MAX_SEARCH_RESULTS = 50;
export const MAX_EXCLUDED_SOURCES = 1000;
export const SEARCHED_RECORD_MAX_BYTES = 64_000;

/**
 * Table of records: filters, orders, values of one filter, length of a text in a filter, days of "the last days", and
 * length of a query parameter with filters or orders.
 */
export const MAX_TABLE_FILTERS = 10;
export const MAX_TABLE_SORTS = 3;
export const MAX_TABLE_VALUES = 50;
export const MAX_FILTER_TEXT_CHARS = 500;
export const MAX_LAST_DAYS = 3660;
export const MAX_TABLE_QUERY_CHARS = 6000;
/** Values of one facet, and records of one export by their IDs. */
export const MAX_FACET_VALUES = 20;
export const MAX_EXPORTED_IDS = 10_000;
export const MAX_EXPORTED_COLUMNS = 1000;
export const MAX_EXPORTED_PATH_CHARS = 10_000;
export const MAX_EXPORTED_HEADING_CHARS = 200;
export const MAX_MOVED_RECORDS = 10_000;
/** Indexes for the table of records and charts over time, and time after which an unused index is dropped. */
export const MAX_TABLE_INDEXES = 20;
export const TABLE_INDEX_UNUSED_MS = 30 * DAY;
export const MAX_RECORD_VIEWS = 50;
/** Notes of the public profile. */
export const MAX_PUBLIC_NOTES = 50;

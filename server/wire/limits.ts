/**
 * Every limit of the interface in one place. Each names its unit; all of them are shown in the OpenAPI document.
 */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Bytes of one JSON request body that holds records to store, batches included. */
export const MAX_JSON_BODY_BYTES = 10_000_000;
/** Bytes of one JSON request body on every route that names no larger limit. */
export const SMALL_BODY_MAX_BYTES = 64_000;
/** Bytes of one JSON request body that defines a query, a Data Debit, an application, an Offer or a file, or reports statistics. */
export const DEFINITION_BODY_MAX_BYTES = 1_000_000;
/** Bytes of the owner's request to delete records: 100,000 ids. */
export const DELETION_BODY_MAX_BYTES = 4_000_000;
/**
 * After the response to a request whose body is still being sent: bytes that are discarded so that the client reads the response instead of a
 * connection reset, and milliseconds for which they are. Twice the largest JSON body: some clients send all of it before they read.
 */
export const LINGERING_CLOSE_MAX_BYTES = 2 * MAX_JSON_BODY_BYTES;
export const LINGERING_CLOSE_TIMEOUT_MS = 10 * SECOND;
/** Bytes of an unread body up to which the connection is kept for the next request. */
export const KEEP_ALIVE_DISCARD_MAX_BYTES = 64_000;
/**
 * Records that one request or one function run can store. They are stored in one transaction, which holds the event loop
 * for about 50 ms at this size.
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
/** Milliseconds. A token handed to another service is for one journey, not for keeping. */
export const SERVICE_TOKEN_VALIDITY_MS = 15 * MINUTE;
/** Milliseconds. A renewed token is signed at most once in this time: signing each answer would cost most of the speed. */
export const RENEWAL_REUSE_MS = MINUTE;

/** Tries of a sign-in that are let through at once: per address (of IPv6: per network), per account, and per account from each network that it signed in from. */
export const SIGN_IN_BURST = 10;
/** Milliseconds until one more try is let through. */
export const SIGN_IN_INTERVAL_MS = 2 * SECOND;
/** Networks per account whose sign-ins are remembered, the newest ones. */
export const MAX_SIGN_IN_NETWORKS = 20;
/** Milliseconds without a sign-in after which a network is forgotten. */
export const SIGN_IN_NETWORK_MS = 90 * DAY;

/** Characters. A longer password needs no variety (a short one is judged by how hard it is to guess). */
export const LONG_PASSWORD_CHARS = 12;
/** Guessing score (0 to 4) that a shorter password must reach. */
export const MIN_PASSWORD_SCORE = 3;
/** Characters. Keeps the cost of hashing bounded. */
export const MAX_PASSWORD_CHARS = 1000;
/** Characters of a user name: percent-encoded it has to fit into a header. */
export const MAX_USER_NAME_CHARS = 100;

/** Bytes of all records that one application, contract or function creates, unless `limits` in config.json says otherwise. */
export const APPLICATION_RECORDS_MAX_BYTES = 10_000_000_000;
/** Disk space that only the owner may fill with records: this many bytes or this share of the disk, whichever is less. */
export const RECORD_RESERVE_MAX_BYTES = 1_000_000_000;
export const RECORD_RESERVE_DISK_SHARE = 0.05;
/** Milliseconds for which a measurement of the free disk space is used. */
export const DISK_SPACE_VALIDITY_MS = 5 * SECOND;
/** Applications, contracts and functions whose record storage the system status lists, largest first. */
export const STATUS_RECORD_CREATORS_MAX = 3;

/** Records that a list returns when `take` is not given. There is no maximum: answers stream. */
export const DEFAULT_TAKE = 1000;

/** Bytes of one file to import. */
export const MAX_IMPORT_BYTES = 20_000_000_000;
/** Files that are imported together, as the parts of one export. */
export const MAX_IMPORT_FILES = 200;
/** Bytes of one piece of an uploaded import. */
export const MAX_IMPORT_CHUNK_BYTES = 64_000_000;
/** Milliseconds in which deleted records and endpoints can be restored in the dashboard. */
export const DELETED_RECORDS_KEPT_MS = 30 * DAY;
/** Milliseconds in which a deleted file can be restored. Files are large, and mostly deleted to get their disk space back. */
export const DELETED_FILES_KEPT_MS = 24 * HOUR;
/** Records of one deletion that one request restores at most. */
export const RESTORED_RECORDS_MAX = 1000;
/** Bytes of a record up to which an excerpt of it is read. */
export const EXCERPT_SOURCE_MAX_BYTES = 4000;
/** Characters of an excerpt of a record. */
export const EXCERPT_MAX_CHARS = 160;
/** Milliseconds. An address handed out for one download. */
export const DOWNLOAD_TICKET_MS = MINUTE;
/** Characters of a third-party URL. */
export const MAX_URL_CHARS = 2000;
/** Seconds. A Data Debit's period: a hundred years is for ever, and still a date. */
export const MAX_PERIOD_SECONDS = 100 * 366 * (DAY / SECOND);

/** Milliseconds for which a message is tried before it is given up. */
export const OUTBOX_RETRY_MS = 3 * DAY;
/** Milliseconds for which a message that was given up is shown to the owner. */
export const DEAD_LETTER_RETENTION_MS = 30 * DAY;
/** Milliseconds in which the receiver of a message has to answer. */
export const OUTBOX_ANSWER_MS = 10 * SECOND;

/** Long reads that one application, person or contract has under way: of more records than are read in one go, or by a search without an index. */
export const MAX_LONG_READS = 2;

/** Milliseconds that a reader thread may work on one read: of the owner, and of every other caller. */
export const OWNER_READ_MS = MINUTE;
export const GUEST_READ_MS = 15 * SECOND;
/** Bytes of records that one read may look at on the main thread, each as often as a condition looks at it, and milliseconds. */
export const MAIN_THREAD_READ_BYTES = 1_000_000;
export const MAIN_THREAD_READ_MS = 25;
/** Bytes of records past which a read of a caller other than the owner counts as a long one. */
export const LONG_READ_BYTES = 4_000_000;

/** Bytes of a picture from a third-party URL. */
export const MAX_PICTURE_BYTES = 512_000;
/** Milliseconds in which such a picture has to be here. */
export const PICTURE_ANSWER_MS = 5 * SECOND;
/** Milliseconds for one external status check of an application. */
export const STATUS_CHECK_MS = 5 * SECOND;
/** Milliseconds for which its outcome is good. */
export const STATUS_KEPT_MS = MINUTE;

/** Bytes of one file. */
export const MAX_FILE_BYTES = 5_000_000_000;
/** Bytes of all files that one application uploads, unless `limits` says otherwise. */
export const MAX_APPLICATION_FILES_BYTES = 20_000_000_000;
/** Bytes of the disk that files of others leave free for everything else. */
export const DISK_RESERVE_BYTES = 200_000_000;
/** Bytes of a file's name. */
export const MAX_FILE_NAME_BYTES = 255;
/** Tags of one file. */
export const MAX_FILE_TAGS = 100;
/** Files that one application may have announced and not completed. */
export const MAX_UNFINISHED_FILES = 1000;
/** Milliseconds after which a file goes that an application announced and sent nothing of; its address was good for five minutes. */
export const ANNOUNCED_FILE_MS = DAY;
/** Milliseconds after which content goes that an application sent and did not complete. */
export const UNFINISHED_FILE_MS = 7 * DAY;
/** Milliseconds. "The URL is signed and valid for a limited time (most likely 5 minutes)." */
export const CONTENT_URL_MS = 5 * MINUTE;
/** Bytes of one piece of an upload that can be interrupted. */
export const MAX_FILE_CHUNK_BYTES = 64_000_000;

/** Megabytes (of 1,048,576 bytes). "Function memory | 128 MB to 3008 MB". */
export const MIN_FUNCTION_MEMORY_MB = 128;
export const MAX_FUNCTION_MEMORY_MB = 3008;
export const DEFAULT_FUNCTION_MEMORY_MB = 128;
/** Milliseconds. "Function running time | 5 minutes maximum". */
export const MAX_FUNCTION_RUN_MS = 5 * MINUTE;
/** Bytes. "Function request size | 6 MB maximum". */
export const MAX_FUNCTION_REQUEST_BYTES = 6_000_000;
/** Bytes of what a run answers: as much as one request may store. */
export const MAX_FUNCTION_OUTPUT_BYTES = MAX_JSON_BODY_BYTES;
/** Bytes of what a function publishes of itself, and of a bundle that it asks for. */
export const MAX_FUNCTION_PUBLISHED_BYTES = 1_000_000;
/** Bytes. "Function deployment package | 250 MB maximum". */
export const MAX_FUNCTION_PACKAGE_BYTES = 250_000_000;
/** Bytes of the manifest of a package. */
export const MAX_FUNCTION_MANIFEST_BYTES = 64_000;
/** Functions that run at one time; the others wait in order. */
export const MAX_CONCURRENT_FUNCTION_RUNS = 2;
/** Runs of one function of which the history is kept. */
export const MAX_FUNCTION_RUNS_KEPT = 10_000;
/** Bytes. "Function ephemeral disk | 512 MB, not persistent between runs". */
export const MAX_FUNCTION_SCRATCH_BYTES = 512_000_000;
/** Bytes and lines of what a function says to its console in one run. */
export const MAX_FUNCTION_LOG_BYTES = 64_000;
export const MAX_FUNCTION_LOG_LINES = 1000;
/** Items of the feed in one answer. */
export const MAX_FEED_ITEMS = 1000;

/** Events in one report of a PDA to the exchange. */
export const MAX_REPORTED_EVENTS = 1000;
/** Milliseconds. Tokens by which a PDA proves to a service who it is. */
export const PROOF_VALIDITY_MS = 5 * MINUTE;
/** Milliseconds for which the short-lived token of a contract is good. */
export const SHORT_LIVED_TOKEN_MS = 15 * MINUTE;
/** Milliseconds that one statement of a service may take. */
export const STATEMENT_MS = 5 * SECOND;
/** Registrations of one PDA address that are let through at once, and milliseconds until one more is. */
export const REGISTRATION_BURST = 5;
export const REGISTRATION_INTERVAL_MS = MINUTE;

/** Milliseconds for which one code of an authenticator app stands, and how many such steps its clock may be off either way. */
export const CODE_STEP_MS = 30 * SECOND;
export const CODE_STEPS_OFF = 1;
/** Milliseconds from the secret of an authenticator app to the code that proves it, and for which a passkey may be asked. */
export const SECOND_FACTOR_STEP_MS = 10 * MINUTE;
export const PASSKEY_CHALLENGE_MS = 5 * MINUTE;
/** Wrong codes with the right password in a day, after which no code of an app is taken: a million of them are soon tried. */
export const MAX_WRONG_CODES_A_DAY = 10;
export const RECOVERY_CODES = 10;
export const MAX_PASSKEYS = 20;
export const MAX_PASSKEY_NAME_CHARS = 60;
/** COSE identifiers of the algorithms that a passkey may use: ES256, Ed25519 and RS256. */
export const PASSKEY_ALGORITHMS = [-7, -8, -257] as const;
/** Characters of the header `x-second-factor`. */
export const MAX_SECOND_FACTOR_CHARS = 8000;

/** Lines that are open to one server from outside, and those among them of one network. This machine's own, and those of a proxy on it, are not counted. */
export const MAX_CONNECTIONS = 2000;
export const MAX_CONNECTIONS_PER_NETWORK = 200;
/** Requests without a valid token that one network may make at once, and milliseconds until one more is let through. This machine's own are not counted. */
export const ANONYMOUS_BURST = 500;
export const ANONYMOUS_INTERVAL_MS = 10;
/** Bytes of a JSON body past which it is asked, before it is read, whether its sender may send it. */
export const LARGE_BODY_BYTES = 256_000;
/** Large bodies of unidentified callers per network: burst, milliseconds until the next one, and how many are read at a time. */
export const UNPROVEN_BURST = 3;
export const UNPROVEN_INTERVAL_MS = 10 * SECOND;
export const MAX_UNPROVEN_BODIES = 2;
/** Long answers and files under way to callers other than the owner: of one network, and in all. */
export const MAX_CONCURRENT_RESPONSES_PER_NETWORK = 24;
export const MAX_CONCURRENT_RESPONSES = 200;
/** Milliseconds in which such an answer has to move on by a piece (16 to 128 KiB). */
export const SLOW_READER_MS = MINUTE;
/** Checks of passwords at one time, and tries that wait for one: of callers from outside, in all. */
export const MAX_PASSWORD_CHECKS = 2;
export const MAX_WAITING_PASSWORD_CHECKS = 16;
/** Values of fields (`?<field>=<value>`) that one data read may compare each record with. */
export const MAX_FIELD_VALUES = 20;

/** Bytes of a receipt file that `pda verify-receipt` reads, and bits of the RSA keys that it accepts (RFC 7518, section 3.3). */
export const RECEIPT_FILE_MAX_BYTES = 64_000_000;
export const RSA_KEY_MIN_BITS = 2048;

// Parts of an archive: NDJSON files with one line per item. A member is `name type`, with `?` if it can be null.

/**
 * `text` · `whole` an integer · `flag` a boolean · `time` ISO 8601, UTC, with milliseconds, or a number · `json` any
 * JSON · `data` any JSON, last on its line, exactly as stored · `id` of a record or file, in order of creation ·
 * `endpoint` path of an endpoint, or its number while it is being deleted · `runs` pairs of first and last number ·
 * `content` location of the bytes: `{entry, bytes, sha256}`
 */
export type MemberType = 'text' | 'whole' | 'flag' | 'time' | 'json' | 'data' | 'id' | 'endpoint' | 'runs' | 'content';

export type Part = {
  /** Name of the part's files in the archive: `records.ndjson`, and `records-2.ndjson` and so on if it is long. */
  name: string;
  about: string;
  /** Separated by commas. */
  members: string;
};

/** The parts in the order of the archive. */
export const ARCHIVE_PARTS = [
  {
    name: 'keys',
    about: 'Public keys that this account has signed with. `retired`: when it stopped using the key',
    members: 'kid text, publicPem text, created time, retired time?',
  },
  {
    name: 'settings',
    about:
      'Settings as pairs of a name and a value. `publicPort`: the port that last served the public address; `mapFile`: ID of the file with the street detail of maps',
    members: 'key text, value text',
  },
  {
    name: 'network',
    about:
      'The exchange and contracts service that the owner chose. `participates`: false if the owner left the exchange; `reports`: whether the account reports counts to the exchange',
    members: 'id whole, exchange text?, contracts text?, participates flag, reports flag',
  },
  {
    name: 'profile',
    about:
      'The public profile. `public`: names of the public fields; `photo`: file of the photo; `photoSha256`: hash of the photo without its metadata',
    members: 'id whole, public json, photo text?, photoSha256 text?',
  },
  {
    name: 'examples',
    about:
      'Example data that the owner added to try the program. `added`: when it was added; `before`: day of the addition (days since 1970), number of added records, and numbers of the endpoints',
    members: 'id whole, added time, before json',
  },
  {
    name: 'first-steps',
    about: 'First steps that the owner dismissed. `dismissed`: when',
    members: 'step text, dismissed time',
  },
  {
    name: 'field-corrections',
    about:
      'Names, types, units, icons and colours that the owner set, and the last chosen chart. A line describes a field if `path` begins with `$.`, the endpoint itself if `path` is `$`, and a namespace if `endpoint` contains no slash',
    members: 'endpoint text, path text, name text?, type text?, unit text?, icon text?, colour text?, chart text?',
  },
  {
    name: 'pinned-charts',
    about: 'Charts that the owner pinned to Home, in the order of `position`',
    members: 'id text, position whole, endpoint text, chart json',
  },
  {
    name: 'record-views',
    about:
      'Views of the records of an endpoint that the owner saved, in the order of `position`; `view` has the form of query parameters of the dashboard',
    members: 'id text, endpoint text, position whole, name text, view text',
  },
  {
    name: 'endpoints',
    about:
      'Endpoints. Events refer to the `id`; `path` is null while its records are being deleted. `deletion`: the `id` of a line in deletions, or `for good` if the deletion cannot be undone',
    members:
      'id whole, path text?, records whole, bytes whole, firstCreated time?, lastCreated time?, lastChange time?, deletion text?',
  },
  {
    name: 'origins',
    about: 'Creators of records: the owner, an application, a contract, an import, a function',
    members: 'id whole, kind text, name text, reference text',
  },
  {
    name: 'records',
    about: 'The data. `origin` is the `id` of a line in origins',
    members: 'id id, endpoint endpoint, origin whole, created time, updated time?, data data',
  },
  {
    name: 'deletions',
    about:
      'Deletions that can still be undone, one for each action of the owner. `path`, `endpoint`: path and number of the deleted endpoint; null if single records were deleted',
    members: 'id text, path text?, endpoint whole?, records whole, time time',
  },
  {
    name: 'deleted-records',
    about: 'Records of deletions that can still be undone. `deletion` is the `id` of a line in deletions',
    members: 'deletion text, id id, path text, origin whole, created time, updated time?, data data',
  },
  {
    name: 'record-versions',
    about:
      'Earlier versions of records and of restorable deleted records. `record` is the id of the record; `stored`, `author`: when this data was stored, and the `id` of a line in origins, null if it is not known who stored it; `replaced`, `origin`: when this data was replaced, and the `id` of a line in origins',
    members: 'version whole, record id, stored time, author whole?, replaced time, origin whole, data data',
  },
  {
    name: 'record-moves',
    about:
      'Moves of records and of restorable deleted records to another endpoint. `record` is the id of the record; `time`, `origin`: when it was moved, and the `id` of a line in origins; `fromPath`, `toPath`: its endpoints before and after',
    members: 'id whole, record id, time time, origin whole, fromPath text, toPath text',
  },
  {
    name: 'events',
    about:
      'Changes of data, from which functions and Data Debits learn of new values. `firstSeq`, `lastSeq`: range of the sequence numbers of the changed records; `seqs`: exactly those numbers, if the range contains others; `[]` for a restored endpoint',
    members:
      'seq whole, time time, kind text, endpoint whole, origin whole, count whole, firstSeq whole, lastSeq whole, seqs json?',
  },
  {
    name: 'activity',
    about: 'Numbers of created, updated and deleted records per day (days since 1970)',
    members: 'day whole, kind text, count whole',
  },
  {
    name: 'combinators',
    about: 'Combinators as registered',
    members: 'name text, definition json, created time',
  },
  {
    name: 'bundles',
    about: 'Data bundles as registered',
    members: 'name text, definition json, created time',
  },
  {
    name: 'imports',
    about:
      'Imports that have ended. Their records have an origin of kind `import` with the id of the import as `reference`. `received`: uploaded bytes; `position`: index of the next element; `beforeSeq`: sequence number of the newest record from before the import; `parts`: files of the import; `cursor`: position within them; `skipped`: entries that were already present; `problemCount`: number of entries that could not be read',
    members:
      'id text, fileName text, size whole, received whole, state text, endpoint text?, format text?, columnTypes text?, position whole, beforeSeq whole?, bytesRead whole, added whole, skipped whole, errorLine whole?, errorProblem text?, created time, started time?, finished time?, parts text?, options text?, cursor text?, changedRecords whole, problemCount whole, list text?, dismissed time?',
  },
  {
    name: 'import-kinds',
    about:
      'Counts of each import at each endpoint. `import` is the `id` of a line in imports. `beforeSeq`: sequence number of the newest record from before the import; `same`: number of entries that were already present; `changed`: number of updated records',
    members: 'import text, endpoint text, beforeSeq whole?, added whole, same whole, changed whole',
  },
  {
    name: 'import-problems',
    about:
      'Entries of an import that could not be read. `number`: position in this list; `position`: position in the file, such as `line 12`',
    members: 'import text, number whole, position text, problem text',
  },
  {
    name: 'import-keys',
    about:
      'Keys that identify imported entries (`endpoint` is the number of an endpoint, `key` and `content` are hashes, hexadecimal)',
    members: 'endpoint whole, key text, seq whole, content text',
  },
  {
    name: 'import-changes',
    about: 'Previous values of records that an import updated',
    members: 'import text, endpoint whole, key text, seq whole, content text, data data',
  },
  {
    name: 'applications',
    about:
      'Applications that the owner set up, as approved: `definition` contains the rights. `origin`: URL of the exchange that lists the application; empty: `config.json`',
    members: 'id text, enabled flag, version text, definition json, approved time, origin text',
  },
  {
    name: 'debits',
    about:
      'Data Debits. Lines of the following three parts name the `id` as `debit`. `application`: the application that may read the shared data; `eventsTo`: the last event that was examined for new values; `lastNotified`: when the requester was last notified of new values; `notifyAt`: when the next notification is due; `pausedUntil`: end of the pause that the owner chose',
    members:
      'id whole, key text, requesterKind text, requesterName text, application text?, created time, removed time?, eventsTo whole?, lastNotified time?, notifyAt time?, pausedUntil time?',
  },
  {
    name: 'debit-bundles',
    about: 'The Data Debit that each bundle name belongs to',
    members: 'name text, debit whole',
  },
  {
    name: 'debit-permissions',
    about:
      'Each request: its purpose, what the owner allowed, and when it ended. `askedPeriod`, `askedCancel`, `asked`: period in seconds, whether it ends after one period, and bundle as requested; `period`, `cancelAtPeriodEnd`, `granted`: the same as allowed; `wasCanceledAtPeriodEnd`: whether it was already set to end with its period when the owner stopped it immediately; `ends`: when the permission expires, null if never or if the requester has been notified',
    members:
      'seq whole, id text, debit whole, created time, start time, askedPeriod whole, askedCancel flag, terms json, asked json, conditions json?, period whole, cancelAtPeriodEnd flag, granted json?, accepted time?, rejected time?, canceled time?, canceledAtPeriodEnd flag, wasCanceledAtPeriodEnd flag, ends time?',
  },
  {
    name: 'debit-history',
    about: 'Events of Data Debits, with their times',
    members: 'seq whole, debit whole, time time, event text, permission text?',
  },
  {
    name: 'offer-claims',
    about:
      'Offers that the owner claimed. `login`: name with which the provider signs in; `details`: the Offer as it was claimed',
    members: 'offer text, exchange text, debitKey text, login text, claimed time, details json',
  },
  {
    name: 'contracts',
    about:
      "Contracts that the owner joined. `turn`: number of the owner's last decision; `service`, `pdaName`: the contracts service that may know this account, and the name of the account there",
    members:
      'id text, state text, turn whole, service text?, pdaName text?, description json?, joined time?, since time, attempts whole, nextAttempt time, problem text?',
  },
  {
    name: 'people',
    about: 'Users other than the owner; each needs a new password',
    members: 'id text, name text, email text?, enabled flag, created time, lastSeen time?',
  },
  {
    name: 'files',
    about:
      'Files. `content` is the location of the bytes in the archive; null: they were removed, missing or not complete. `modified` is in nanoseconds since 1970',
    members:
      'id id, fileId text, name text, source text, title text?, description text?, tags json?, created time, updated time, added time, status text, uploader text, application text?, public flag, size whole?, sha256 text?, type text?, kind text, path text?, modified text?, deleted time?, deletedBy text?, undoPath text?, content content?',
  },
  {
    name: 'file-grants',
    about: 'Users who may see a file (`file` is the `id` of a line in files), and whether they may read its content',
    members: 'file id, userId text, content flag',
  },
  {
    name: 'folder-grants',
    about: 'Folders whose files a user may read, including later files. `folder`: path below the `files` folder',
    members: 'id text, userId text, folder text, created time',
  },
  {
    name: 'collections',
    about: 'Named sets of files',
    members: 'id text, name text, created time',
  },
  {
    name: 'collection-files',
    about:
      'Files of a collection (`file` is the `id` of a line in files). `position`: ascending in the order of addition',
    members: 'collection text, position whole, file id',
  },
  {
    name: 'collection-grants',
    about: 'Collections whose files a user may read, including later files',
    members: 'id text, userId text, collection text, created time',
  },
  {
    name: 'view-grants',
    about:
      'Tables and charts that a user may see. `kind`: table or chart; `definition`: copy of filters, order, columns and the ids of selected records, or of the chart, at the time of sharing; `ends`: when sharing ends',
    members: 'id text, userId text, endpoint endpoint, kind text, name text, definition json, created time, ends time?',
  },
  {
    name: 'file-slugs',
    about: 'Short names of files. `taken`: how often the name was used, which determines the suffix of the next one',
    members: 'slug text, taken whole',
  },
  {
    name: 'functions',
    about:
      'Functions: their definition, what was approved, and their cursor over events. `configuration`, `edition`: the configuration that the function last published, and the edition of the function that published it; `failures`, `failedEvent`: number of failed runs since the last success, and the last event of the input of the last of them; `cycle`: when a run was last skipped because it would have closed a cycle, and the functions of the cycle',
    members:
      'id text, version text, location text, endpoint text, configuration json?, edition text?, problem text?, enabled flag, approved json?, approvedAt time?, lastExecution time?, cursor json?, failures whole, failedEvent whole, cycle json?',
  },
  {
    name: 'function-packages',
    about: 'Installed packages of functions; `content` is the module',
    members:
      'id text, manifest json, folder text, module text, sha256 text, bytes whole, installed time, content content?',
  },
  {
    name: 'function-runs',
    about:
      'Runs of functions. `chain`: functions whose output led to the run, and the function itself; `firstSeq`, `lastSeq`: range of the sequence numbers of the stored records; `undone`, `deletion`: when the run was undone, and by which deletion',
    members:
      'seq whole, id text, function text, version text, reason text, started time, finished time?, outcome text?, message text?, chain json, fromDate time?, untilDate time, recordsIn whole, bytesIn whole, recordsOut whole, endpoint text, firstSeq whole?, lastSeq whole?, duration whole?, peakMemory whole?, log json, undone time?, deletion text?',
  },
  {
    name: 'absorbed-endpoints',
    about: 'Numbers of endpoints that were merged into another one',
    members: 'id whole, endpoint whole',
  },
  {
    name: 'access-groups',
    about:
      'Access history: attributes by which requests are searched. `whoKind`, `whoName`: the principal; `consentKind`, `consentName`: the consent; `refused`: whether the requests were refused; `reads`: whether they read data; `hasRecords`: whether their lines name records',
    members:
      'id whole, whoKind text, whoName text, consentKind text, consentName text, refused flag, reads flag, hasRecords flag',
  },
  {
    name: 'access-shapes',
    about:
      'Access history: values that requests share. `shape` is an array of the kind of the principal, its name, action, status, reason, consent, endpoints, fields and address, and the display name if the principal is a user',
    members: 'id whole, shape json',
  },
  {
    name: 'access-places',
    about:
      'Access history: records and files to which it refers. `place`: number of the record or file in the access history; `tail`: the end of the record id if it is known (hexadecimal)',
    members: 'place whole, id id, tail text?',
  },
  {
    name: 'access',
    about:
      'Access history: one line for each request, or for several similar requests. `id` divided by 256, rounded down, is a time in milliseconds since 2020. `behind`: milliseconds to subtract from that time, because the clock was behind the previous entry. `grp` and `shape` refer to lines of access-groups and access-shapes, `places` to lines of access-places. `count` is the number of requests that the line represents; the last of them was at `last`',
    members:
      'id whole, grp whole, shape whole, behind whole, count whole, last time?, records whole, bytes whole?, places runs?',
  },
  {
    name: 'erasures',
    about: 'Permanent erasures: counts and times, none of the erased data',
    members: 'id text, kind text, subject text, begun time, finished time?, found json, report json',
  },
  {
    name: 'moves',
    about:
      'Earlier moves of this account. `name`, `program`, `exported`: name of the account, program that wrote the archive, and time of the snapshot; `arrived`: when it was imported; `settled`: when the owner activated the imported account; `madeDark`: whether the import closed the public address',
    members: 'id text, name text, program text, exported time, arrived time, settled time?, madeDark flag, counts json',
  },
] as const satisfies readonly Part[];

export type PartName = (typeof ARCHIVE_PARTS)[number]['name'];

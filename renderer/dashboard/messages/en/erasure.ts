import type { ErasureStep } from '../../../../server/wire/erasure-steps.ts';
import type { ErasureKind, ErasureRemainder } from '../../../../server/wire/erasure.ts';
import { bytes, count } from '../../../shared/format/format.ts';

/** Settings → Erase. */
export const erasure = {
  pageTitle: 'Erase permanently',
  lead: 'Removes data from this disk completely. You can undo a normal deletion for a while, but you cannot undo this.',
  /** Links from other pages. */
  link: {
    application: 'Permanently erase what it stored',
    file: 'Permanently erase this file',
    namespace: (name: string) => `Permanently erase all of ${name}`,
  },
  choose: 'What do you want to erase?',
  kind: 'Type',
  kinds: {
    application: 'Data of an application',
    namespace: 'A source',
    file: 'A file',
    everything: 'Everything',
  } satisfies Record<ErasureKind, string>,
  which: {
    application: 'Application',
    namespace: 'Source',
    file: 'File',
  },
  whichHint: {
    application: 'All its records, files and sessions. The application is stopped too.',
    namespace: 'All records of one source. You can include the results that functions made from them.',
    file: 'Its content, name, tags and entries in the search index. Type to find it; find deleted files by their ID.',
  },
  preview: 'Preview',
  willBeErased: 'Will be erased',
  nothingHere: 'Nothing is stored under this name. Traces of earlier deletions would be erased.',
  counts: {
    records: (n: number) => count(n, 'record', 'records'),
    deletedRecords: (n: number) =>
      count(n, 'deleted record that can still be restored', 'deleted records that can still be restored'),
    derivedRecords: (n: number) => `${count(n, 'record', 'records')} that functions made`,
    imports: (n: number) => count(n, 'import and its file', 'imports and their files'),
    files: (n: number) => count(n, 'file', 'files'),
    sessions: (n: number) => count(n, 'session', 'sessions'),
    consents: (n: number) => `${count(n, 'consent', 'consents')}: ended, and the values in their filters erased`,
  },
  everythingElse:
    'Your account, its keys and settings, functions, and everything in its folder, including database copies',
  size: (n: number) => `${bytes(n)} of data`,
  since: 'Oldest data from',
  at: (endpoints: readonly string[]) => `At ${endpoints.join(', ')}`,
  more: (n: number) => `and ${count(n, 'other endpoint', 'other endpoints')}`,
  derived: 'Also erase what functions made from it',
  derivedOf: (list: readonly { function: string; records: number }[]) =>
    list.map((output) => `${output.function} (${count(output.records, 'record', 'records')})`).join(', '),
  copies: (n: number, size: number) =>
    `Also erase ${count(n, 'database copy', 'database copies')} in the folder of this PDA (${bytes(size)})`,
  copiesWhy:
    'They contain earlier data, for example from before an update. Without such a copy you cannot undo the update.',
  notErased: 'Not erased',
  copiesOfOthers: 'Your PDA cannot erase copies that others hold. They read some of this data:',
  unread: 'According to the access history, only you have read this data.',
  readerCounts: (reader: string, reads: number, records: number) =>
    `${reader}: ${count(reads, 'time', 'times')}, ${count(records, 'record', 'records')} in total, last`,
  backups: 'These backups may still contain it:',
  backupsUnknown: 'Your PDA does not know of backups in other places. Delete those that contain this data yourself.',
  backupsNone: 'No backup contains it.',
  backupUntil: 'kept until',
  backupFolders: (folders: readonly string[]) =>
    `This PDA stored backups in ${folders.join('; ')}. Every backup there may still contain it.`,
  disk: 'No program can erase what the disk itself keeps, such as spare cells of an SSD or system snapshots. Disk encryption protects these.',
  retained: 'What is kept and why',
  remainders: {
    ledger:
      'The access history: who read what and when, with endpoints and field names but no values. It is your evidence.',
    consents: 'Consents: what you agreed to, when, and that it ended. They contain field names, not values.',
    queries: 'Combinators and bundles that read it: they describe a query. You can delete them yourself.',
    counts: 'The number of records added and deleted per day.',
    sameContent: 'Other files with the same content. Erase each of them separately.',
    unassigned: 'Uploaded files of imports that were never started. Discard them under Data.',
    config: 'config.json, which contains settings and none of your data.',
  } satisfies Record<ErasureRemainder, string>,
  confirm: 'Confirm',
  wait: (seconds: number) =>
    seconds <= 1
      ? 'Your PDA rewrites its database, which takes about a second. Nothing can be stored in that time.'
      : `Your PDA rewrites its database. New data cannot be stored for about ${count(seconds, 'second', 'seconds')}.`,
  starts: 'This PDA then restarts empty and must be set up again. Everyone is signed out, including you.',
  typeToConfirm: (text: string) => `Type ${text}`,
  mismatch: 'The text does not match.',
  missing: 'Fill in this field.',
  submit: {
    application: 'Permanently erase its data',
    namespace: 'Permanently erase this source',
    file: 'Permanently erase this file',
    everything: 'Permanently erase everything',
  } satisfies Record<ErasureKind, string>,
  started: 'Erasure started. You can leave this page.',
  starting: 'Erasing everything',
  startingText: 'This PDA restarts. The setup page opens when it is ready.',
  reports: 'Erasures',
  noReports: 'No erasures yet.',
  subject: {
    application: (name: string) => `Data of ${name}`,
    namespace: (name: string) => `Source ${name}`,
    file: 'A file',
    everything: 'The previous account',
  },
  fileId: (id: string) => `In the access history: ${id}`,
  done: 'Erased',
  running: 'Erasing',
  waiting: 'Waiting to retry',
  steps: {
    hold: 'Pausing changes',
    records: 'Erasing records',
    derived: 'Erasing results of functions',
    files: 'Erasing files',
    traces: 'Erasing other traces',
    indexes: 'Clearing search indexes',
    copies: 'Erasing copies',
    scrub: 'Rewriting the database',
  } satisfies Record<ErasureStep, string>,
  progress: 'Progress',
  keptDerived: 'Results of functions were kept, as you chose.',
  copiesErased: (n: number) => `${count(n, 'database copy was', 'database copies were')} erased too.`,
  copiesRemaining: (names: readonly string[]) =>
    `Copies in the folder of this PDA still contain it: ${names.join(', ')}.`,
  backupsRemaining: (list: readonly string[]) => `Backups that may still contain it: ${list.join('; ')}.`,
} as const;

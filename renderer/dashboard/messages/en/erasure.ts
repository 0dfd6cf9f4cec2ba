import type { ErasureStep } from '../../../../server/wire/erasure-steps.ts';
import type { ErasureKind, ErasureRemainder } from '../../../../server/wire/erasure.ts';
import { bytes, count } from '../../../shared/format/format.ts';

/** Settings → Erase. */
export const erasure = {
  pageTitle: 'Erase for good',
  lead: 'Takes data off this disk so that nothing of it is left here. Deleting elsewhere in the dashboard can be undone for a while; this cannot be undone at all.',
  /** Elsewhere, where one stands before it. */
  link: {
    application: 'Erase for good what it stored',
    file: 'Erase this file for good',
    namespace: (name: string) => `Erase all of ${name} for good`,
  },
  choose: 'What should go?',
  kind: 'Kind',
  kinds: {
    application: 'What an application stored',
    namespace: 'A namespace',
    file: 'A file',
    everything: 'Everything',
  } satisfies Record<ErasureKind, string>,
  which: {
    application: 'Application',
    namespace: 'Namespace',
    file: 'File',
  },
  whichHint: {
    application: 'Its records wherever they are, its files, its sign-ins. It is stopped too.',
    namespace: 'All records below one name, also what functions made from them.',
    file: 'Its content, name, tags and words. Type to find it, deleted ones by their id.',
  },
  none: 'Nothing found',
  look: 'Show what would go',
  looking: 'Looking through your data',
  goes: 'What will be gone',
  nothingHere: 'Nothing is here under this name any more. Traces of what was deleted earlier would go.',
  counts: {
    records: (n: number) => count(n, 'record', 'records'),
    deletedRecords: (n: number) =>
      count(n, 'deleted record that could be restored', 'deleted records that could be restored'),
    derivedRecords: (n: number) => `${count(n, 'record', 'records')} that functions made`,
    imports: (n: number) => count(n, 'import and its file', 'imports and their files'),
    files: (n: number) => count(n, 'file', 'files'),
    sessions: (n: number) => count(n, 'sign-in', 'sign-ins'),
    consents: (n: number) => `${count(n, 'consent', 'consents')}: ended, without the values in the filters`,
  },
  everythingElse: 'Your account, its keys and settings, everything in its folder, functions, and the copies in it',
  size: (n: number) => `${bytes(n)} of data`,
  since: 'The oldest of it is from',
  at: (endpoints: readonly string[]) => `At ${endpoints.join(', ')}`,
  more: (n: number) => `and ${count(n, 'other endpoint', 'other endpoints')}`,
  derived: 'Erase what functions made from it too',
  derivedOf: (list: readonly { function: string; records: number }[]) =>
    list.map((one) => `${one.function} (${count(one.records, 'record', 'records')})`).join(', '),
  copies: (n: number, size: number) =>
    `Erase ${count(n, 'copy', 'copies')} of the database in the folder of this PDA too (${bytes(size)})`,
  copiesWhy:
    'They are from before an update, and hold what was here then. Without them an update cannot be taken back.',
  reached: 'What is not reached',
  received: 'Copies that others hold are not reached. These have read some of it:',
  nobody: 'By the access history nobody else has read any of it.',
  kept: (who: string, reads: number, records: number) =>
    `${who}: ${count(reads, 'time', 'times')}, ${count(records, 'record', 'records')} in all, last`,
  backups: 'These backups may still hold it:',
  backupsUnknown: 'Backups elsewhere are not known here: delete those that hold it yourself.',
  backupsNone: 'There is no backup that holds it.',
  backupUntil: 'kept until',
  disk: 'What a disk keeps of its own, such as the spare cells of an SSD or a snapshot of the system, no program can reach. An encrypted disk closes that gap.',
  stays: 'What stays, and why',
  remainders: {
    ledger:
      'The access history: who read what and when, with endpoints and names of fields, without values. It is your proof.',
    consents: 'Consents: what was agreed to, when, and that it ended. What they name are fields, not values.',
    queries: 'Combinators and bundles that read it: they say what is looked for, and are yours to delete.',
    counts: 'How many records came and went on each day.',
    sameContent: 'Other files with the same content. Erase each of them if they are to go too.',
    unassigned: 'Files for imports that were never begun: nobody has said where they belong. Forget them under Data.',
    config: 'config.json, which holds settings and none of your data.',
  } satisfies Record<ErasureRemainder, string>,
  confirm: 'Confirm',
  wait: (seconds: number) =>
    seconds <= 1
      ? 'The database is written anew for it; that takes about a second, in which nothing can be stored.'
      : `The database is written anew for it. For about ${count(seconds, 'second', 'seconds')} nothing can be stored; what comes meanwhile waits.`,
  starts: 'This PDA then starts anew, empty, and has to be set up again. Everybody is signed out, also you.',
  typed: (text: string) => `Type ${text}`,
  typedWrong: 'This is something else.',
  password: 'Your password',
  passwordWrong: 'This is not your password.',
  missing: 'Fill in this one too.',
  submit: {
    application: 'Erase what it stored, for good',
    namespace: 'Erase this namespace for good',
    file: 'Erase this file for good',
    everything: 'Erase everything for good',
  } satisfies Record<ErasureKind, string>,
  begun: 'Erasing has begun. You can leave this page.',
  starting: 'Everything is being erased',
  startingText: 'This PDA starts anew. The page for the set-up opens as soon as it waits for it.',
  reports: 'Erased so far',
  noReports: 'Nothing was erased for good yet.',
  subject: {
    application: (name: string) => `What ${name} stored`,
    namespace: (name: string) => `Namespace ${name}`,
    file: 'A file',
    everything: 'Everything that was here before',
  },
  fileId: (id: string) => `In the access history: ${id}`,
  done: 'Erased',
  beingDone: 'Being erased',
  waiting: 'Waits, and is tried again',
  steps: {
    hold: 'Stopping what would bring it back',
    records: 'Taking the records away',
    derived: 'Taking away what functions made from them',
    files: 'Taking files away',
    traces: 'Clearing what is left of it elsewhere',
    indexes: 'Clearing the search',
    copies: 'Clearing copies',
    scrub: 'Writing the database anew, without it',
  } satisfies Record<ErasureStep, string>,
  progress: 'How far it is',
  keptDerived: 'What functions made from it was kept, as you wanted.',
  copiesGone: (n: number) => `${count(n, 'copy', 'copies')} of the database went too.`,
  copiesLeft: (names: readonly string[]) => `Copies in the folder of this PDA still hold it: ${names.join(', ')}.`,
  backupsLeft: (list: readonly string[]) => `Backups that may still hold it: ${list.join('; ')}.`,
} as const;

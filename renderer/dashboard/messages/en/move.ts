import { bytes, count, number } from '../../../shared/format/format.ts';
import { list } from '../../../shared/messages/en/consent.ts';

/** Settings → Move. */
export const move = {
  pageTitle: 'Move',
  lead: 'Take your whole account with you: one archive in an open format that any program can read and another PDA can import.',
  export: {
    title: 'Export everything',
    text: 'Your data, files, consents with their history, the access history, applications and functions, as they are now. The archive is a zip file of plain text and your own files, readable without this program.',
    secrets:
      'It contains no passwords, keys or tokens. Anyone who has the file can read everything else, so keep it as you would keep a diary.',
    wrong: 'Wrong password. Nothing was exported.',
    submit: 'Download everything',
    started: 'Download started',
    startedText: 'Your browser saves the archive while it is being created. You can leave this page.',
    running: 'Creating the archive',
    progress: (done: number, total: number) => `${bytes(done)} of about ${bytes(total)}`,
    progressLabel: 'Archive progress',
    last: 'Last archive',
    missingFiles: (n: number) =>
      `${count(n, 'file was', 'files were')} missing from the folder. The archive does not contain their content.`,
    changedFiles: (n: number) =>
      `${count(n, 'file', 'files')} changed during the export. The archive contains the later content.`,
  },
  import: {
    title: 'Import an account',
    text: 'Imports the archive of another PDA into this account: records with their IDs, files, consents and history. First you see what the archive contains. The import is all or nothing.',
    notEmpty: 'You can import an account only into a PDA that has no data yet.',
    choose: 'Choose an archive',
    hint: 'A zip file from “Export everything”',
    sending: (sent: number, size: number) => `${bytes(sent)} of ${bytes(size)} sent`,
    sendingLabel: 'Upload progress',
    stopped: 'The upload is incomplete. Choose the same file again to continue where it stopped.',
    checking: 'Checking the whole archive. Nothing is imported yet.',
    checkingLabel: 'Check progress',
    importing: 'Importing the account. When the import is complete, your PDA restarts with this account.',
    importingLabel: 'Import progress',
    canLeave: 'Keep the PDA running. You can leave this page.',
    rejected: 'This archive cannot be imported',
    other: 'Choose another archive',
    accountTitle: (name: string) => `Account ${name}`,
    asOf: 'Created',
    records: (records: number, endpoints: number) =>
      `${count(records, 'record', 'records')} at ${count(endpoints, 'endpoint', 'endpoints')}`,
    files: (files: number, size: number) => `${count(files, 'file', 'files')}, ${bytes(size)}`,
    consents: (all: number, active: number) => `${count(all, 'consent', 'consents')}, ${number(active)} of them active`,
    others: (applications: number, functions: number, contracts: number, people: number) =>
      [
        count(applications, 'application', 'applications'),
        count(functions, 'function', 'functions'),
        count(contracts, 'contract', 'contracts'),
        count(people, 'other person', 'other people'),
      ].join(', '),
    access: (n: number) => count(n, 'entry', 'entries'),
    labels: {
      records: 'Data',
      files: 'Files',
      consents: 'Consents',
      others: 'Also included',
      access: 'Access history',
    },
    afterwards:
      'This PDA keeps its own name, password and address. After the import it accepts no connections from outside and sends nothing until you activate the account.',
    submit: 'Import account',
    discard: 'Discard archive',
  },
  imported: {
    pendingActivation: (name: string) => `Account ${name} has been imported and is waiting for activation`,
    pendingActivationText:
      'Your PDA accepts no connections from outside, runs no functions and sends no messages. Review the list below, then activate the account.',
    activated: (name: string) => `Account ${name} moved here`,
    when: 'Imported',
    archiveCreated: 'Archive created',
    toDo: 'What you need to do',
    applications: (names: readonly string[]) => `Sign in to ${list(names)} again. An archive contains no sessions.`,
    people: (names: readonly string[]) =>
      `Give ${list(names)} ${names.length === 1 ? 'a new password' : 'new passwords'} under People.`,
    offers: (n: number) =>
      `${count(n, 'claimed Offer', 'claimed Offers')}: ${n === 1 ? 'the provider cannot read data until you claim it' : 'their providers cannot read data until you claim them'} again.`,
    contracts: (names: readonly string[]) =>
      `After activation, your PDA joins these contracts again: ${names.join(', ')}.`,
    functions: (names: readonly string[]) => `After activation, these functions run again: ${names.join(', ')}.`,
    exchange: (address: string) => `After activation, your PDA registers at ${address}.`,
    address: 'Choose a public address for this PDA.',
    addressLink: 'Address',
    consents: 'Active consents apply again as soon as applications sign in. Stop those you no longer want.',
    consentsLink: 'Sharing',
    eraseOld: 'Then erase the account on the previous computer. Otherwise two PDAs act in your name.',
    submit: 'Activate account',
    done: 'Account activated',
    confirm: {
      title: 'Activate this account?',
      text: 'Functions start to run, contracts and the exchange learn the address of this PDA, messages are sent, and others can connect if there is a public address.',
    },
  },
};

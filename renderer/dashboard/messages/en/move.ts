import { bytes, count, number } from '../../../shared/format/format.ts';

/** Settings → Move. */
export const move = {
  pageTitle: 'Move',
  lead: 'Take your whole account with you: everything in one open archive that any program can read, and that another PDA can bring in.',
  out: {
    title: 'Take everything out',
    text: 'Your data, files, consents with their history, the access history, applications and functions, as they are at this moment. It can be read without this program: plain text and your own files in a zip file.',
    secrets:
      'No password, no key and no token is in it. Everything else can be read by whoever has the file, so keep it as you would keep a diary.',
    password: 'Your password',
    missing: 'Write your password first.',
    wrong: 'This is not the password. Nothing was exported.',
    submit: 'Download everything',
    started: 'The download has begun',
    startedText: 'Your browser writes it to the disk as it is made. You can leave this page.',
    running: 'An archive is being made',
    progress: (done: number, total: number) => `${bytes(done)} of about ${bytes(total)}`,
    progressLabel: 'How far the archive is',
    last: 'Last archive',
    missingFiles: (n: number) =>
      `${count(n, 'file was', 'files were')} not where they should be. Their bytes are not in it.`,
    laterFiles: (n: number) =>
      `${count(n, 'file was', 'files were')} changed meanwhile. Their bytes are of a little later.`,
  },
  into: {
    title: 'Bring an account in',
    text: 'An archive of another PDA becomes this account: records with their ids, files, consents, history. All of it or nothing, and nothing is imported before you have seen what is in it.',
    full: 'This is only possible in an account that was set up and not used yet.',
    choose: 'Choose the archive',
    hint: 'A zip file that was made under “Take everything out”',
    sending: (sent: number, size: number) => `${bytes(sent)} of ${bytes(size)} sent`,
    sendingLabel: 'How much was sent',
    stopped: 'Not all of the archive is here. Choose the same file again, and it goes on from where it broke off.',
    cancel: 'Stop',
    checking: 'The archive is being read to its end. Nothing is imported yet.',
    checkingLabel: 'How much was read',
    importing: 'The account is being made. When it is whole, the PDA starts anew with it.',
    importingLabel: 'How much was imported',
    leave: 'Do not close the PDA. You can leave this page.',
    refused: 'This archive cannot be brought in',
    other: 'Choose another one',
    found: (name: string) => `The account ${name}`,
    asOf: 'As it was',
    records: (records: number, endpoints: number) =>
      `${count(records, 'record', 'records')} at ${count(endpoints, 'place', 'places')}`,
    files: (files: number, size: number) => `${count(files, 'file', 'files')}, ${bytes(size)}`,
    consents: (all: number, active: number) =>
      `${count(all, 'consent', 'consents')}, ${number(active)} of them in force`,
    others: (applications: number, functions: number, contracts: number, people: number) =>
      [
        count(applications, 'application', 'applications'),
        count(functions, 'function', 'functions'),
        count(contracts, 'contract', 'contracts'),
        count(people, 'other person', 'other people'),
      ].join(', '),
    access: (n: number) => `${count(n, 'line', 'lines')} of access history`,
    labels: {
      records: 'Data',
      files: 'Files',
      consents: 'Consents',
      others: 'With them',
      access: 'Who looked',
    },
    afterwards:
      'This account keeps its own name, password and address. Afterwards nobody gets in from outside and nothing goes out until you say so.',
    submit: 'Bring it in',
    drop: 'Throw the archive away',
  },
  arrived: {
    held: (name: string) => `The account ${name} is here, and waits for you`,
    heldText:
      'Nobody gets in from outside, no function runs, and nothing is told to anybody. Look through what is below, then let it live here.',
    settled: (name: string) => `The account ${name} came here`,
    when: 'Arrived',
    of: 'As it was',
    anew: 'What needs you',
    applications: (names: readonly string[]) => `Sign in to ${names.join(', ')} anew: no sign-in came along.`,
    people: (names: readonly string[]) => `Give ${names.join(', ')} a new password under People.`,
    offers: (n: number) =>
      `${count(n, 'claimed offer', 'claimed offers')}: its provider reads nothing until you claim it anew.`,
    contracts: (names: readonly string[]) => `Contracts are joined anew from here when you go on: ${names.join(', ')}.`,
    functions: (names: readonly string[]) => `Functions run again when you go on: ${names.join(', ')}.`,
    exchange: (address: string) => `This account is made known to ${address} when you go on.`,
    address: 'Choose the address by which this PDA is reached.',
    addressLink: 'Address',
    consents: 'Consents in force count here again as soon as applications sign in. Stop what should not go on.',
    consentsLink: 'Sharing',
    old: 'Then erase the account at the old place, or two of you answer.',
    submit: 'This account lives here now',
    done: 'It lives here now',
    confirm: {
      title: 'Let it live here?',
      text: 'From now on functions run, contracts and the exchange are told of this place, messages go out, and visitors get in if there is an address.',
      submit: 'This account lives here now',
    },
  },
};

import { count, number } from '../../../shared/format/format.ts';
import { list } from '../../../shared/messages/en/consent.ts';

const records = (n: number) => count(n, 'record', 'records');
const times = (n: number) => (n === 1 ? 'once' : count(n, 'time', 'times'));

/** @param props at least one of the numbers is not 0 */
const foldersAndCollections = ({ folders, collections }: { folders: number; collections: number }): string =>
  list([
    ...(folders > 0 ? [count(folders, 'folder', 'folders')] : []),
    ...(collections > 0 ? [count(collections, 'collection', 'collections')] : []),
  ]);

export const sharing = {
  pageTitle: 'Sharing',
  lead: (n: number) =>
    n === 0
      ? 'You are not sharing anything.'
      : n === 1
        ? 'One recipient can see some of your data.'
        : `${number(n)} recipients can see some of your data.`,
  leadPublic: (n: number) =>
    n === 0
      ? 'Some of your data is public.'
      : n === 1
        ? 'Some of your data is public, and one recipient can see more.'
        : `Some of your data is public, and ${number(n)} recipients can see more.`,
  incomplete: 'This list may be incomplete',
  loadingMore: 'Loading more recipients…',
  empty: {
    title: 'Nothing is shared',
    text: 'Everyone who may see some of your data is listed here: what exactly, until when, and when they last read it. You can stop sharing with each of them at any time.',
  },
  map: {
    title: 'Who can see what',
    view: 'View',
    asMap: 'Map',
    asTable: 'Table',
    label: 'Map of who can see what',
    who: 'Who',
    what: 'What',
    entire: 'Entire records or files',
    fields: 'Some fields',
    records: 'All records',
    files: 'Files',
    moreSources: (n: number) => count(n, 'more source', 'more sources'),
    sees: (sources: string) => ` can see ${sources}`,
    seenBy: (readers: string) => ` can be seen by ${readers}`,
    allEndpoints: 'all endpoints',
    extent: 'Extent',
    until: 'Until',
    every: 'Entire records, including fields added later',
    everyEndpoint: 'Entire records, including endpoints added later',
    hidden: (n: number) =>
      `The map shows those who can see most. ${n === 1 ? 'One more is' : `${number(n)} more are`} in the list.`,
    toList: 'Go to the list',
  },
  kinds: {
    consent: 'Consent',
    application: 'Application',
    contract: 'Contract',
    function: 'Function',
    person: 'Person',
    table: 'Table',
    chart: 'Chart',
    link: 'Link',
    public: 'Everyone',
  },
  readers: {
    stop: 'Stop',
    stopLabel: (name: string) => `Stop ${name}`,
    view: 'See what it sees',
    viewLabel: (name: string) => `See what it sees: ${name}`,
    allRecords: 'all your records',
    namespaces: (names: readonly string[]) => `everything in ${list(names)}, including future records`,
    files: (names: readonly string[]) => `files of ${list(names)}`,
  },
  guestPreview: {
    view: 'View as guest',
    viewLabel: (name: string) => `View as guest: ${name}`,
    title: (name: string) => `What ${name} sees`,
    lead: 'The pages of this guest, as they are now. You can open pages and files. Archives, CSV files, the account and signing out work for the guest only. The access history does not count this preview as a visit by the guest.',
    locked: (name: string) => `${name} is blocked, and sees none of this until you unblock the account.`,
  },
  linkPreview: {
    view: 'View as visitor',
    viewLabel: (name: string) => `View as visitor: ${name}`,
    title: (name: string) => `What visitors of ${name} see`,
    lead: 'The page of this share link as its visitors see it now, after its password if it has one. You can open its files. The archive works for visitors only. This preview counts neither as a visit nor as an opened file.',
  },
  /** Readers without a consent or rights of an application. */
  otherReaders: {
    person: (files: number, readable: number) =>
      readable === files
        ? `can open ${count(files, 'file', 'files')}`
        : `can see ${count(files, 'file', 'files')} and open ${number(readable)} of them`,
    personInTargets: (files: number, readable: number, targets: { folders: number; collections: number }) =>
      readable === files
        ? `can open ${count(files, 'file', 'files')}, and new ones in ${foldersAndCollections(targets)}`
        : `can see ${count(files, 'file', 'files')} and open ${number(readable)} of them, and open new ones in ${foldersAndCollections(targets)}`,
    link: (content: string) => `opens for anyone who has the link: ${content}`,
    linkWithPassword: (content: string) => `opens for anyone who has the link and its password: ${content}`,
    publicFiles: 'Public files',
    publicFilesText: (n: number) => `${count(n, 'file', 'files')}, open to anyone with the address`,
    profile: 'Public profile',
    profileText: (fields: number) => `anyone can see ${count(fields, 'field', 'fields')} at the address of your PDA`,
    profileBundle: 'anyone can see the data of the bundle phata, which is stored with your account',
    function: (host: string, what: string) => `runs on ${host} and receives ${what}`,
    stopLabel: (name: string) => `Stop: ${name}`,
    stopLink: {
      title: (name: string) => `Revoke ${name}?`,
      text: 'The link stops working immediately. This cannot be undone. Copies that were downloaded before still exist.',
      submit: 'Revoke',
    },
    stopPerson: {
      title: (name: string) => `Stop sharing with ${name}?`,
      text: (name: string) =>
        `These files, folders and collections are no longer shared with ${name}. Public files and share links are not affected. The account of ${name} is not removed.`,
      submit: 'Stop sharing',
      done: (name: string) => `Files, folders and collections are no longer shared with ${name}`,
    },
    stopPublicFiles: {
      title: 'Make all public files private?',
      text: 'Their public addresses stop working immediately. Share links and people with access are not affected.',
      submit: 'Make private',
      done: 'No file is public now',
    },
    stopProfile: {
      title: 'Make your profile private?',
      text: 'None of its fields remains public. Your profile itself does not change.',
      textBundle:
        'The bundle phata is removed, and none of the fields of your profile remains public. The data itself does not change.',
      submit: 'Make private',
      done: 'Your profile is private now',
    },
  },
  pause: {
    menu: 'Pause…',
    title: (name: string) => `Pause sharing with ${name}`,
    text: (name: string) =>
      `During the pause, ${name} cannot read anything. Sharing then resumes automatically, until the consent ends as agreed. You can resume it earlier.`,
    choice: (days: number, until: string) => `${count(days, 'day', 'days')}: until ${until}`,
    endsTooSoon: 'This consent ends today. Stop sharing instead.',
    submit: 'Pause',
    paused: (name: string) => `Sharing with ${name} is paused`,
    pausedText: (until: string) => `Until ${until}, then it resumes automatically.`,
    pausedUntil: (until: string) => `Paused until ${until}`,
    pausedHint: (name: string) => `Until then, ${name} cannot read anything. Sharing then resumes automatically.`,
    cannotSee: (what: string) => `Cannot see ${what} at the moment`,
    pausedTitle: (name: string, what: string) => `${name} cannot see ${what} at the moment`,
    resume: 'Resume now',
    resumeLabel: (name: string) => `Resume now: ${name}`,
    resumed: (name: string) => `${name} can read again`,
  },
  now: 'Shared now',
  notNow: 'Not shared at the moment',
  endedOrDeclined: 'Ended or declined',
  canSee: (what: string) => `Can see ${what}`,
  willSee: (what: string) => `Will be able to see ${what}`,
  couldSee: (what: string) => `Could see ${what}`,
  requested: (what: string) => `Asked for ${what}`,
  lastRead: 'Last read',
  never: 'Never read',
  reads: (n: number) => `read ${times(n)}`,
  stop: 'Stop sharing',
  stopLabel: (name: string, what: string) => `Stop sharing ${what} with ${name}`,
  waiting: 'Asks for a change',
  /** End of links, invitations and shared views. */
  end: {
    chooseDay: 'Choose a date…',
    day: 'Last day',
    past: 'Choose today or a later day.',
    outOfRange: (days: number) => `Choose a day in the next ${days} days.`,
  },
  state: {
    until: (day: string) => `until ${day}, then it ends`,
    renews: (day: string, interval: string) => `until you stop sharing; renews ${day}, then ${interval}`,
    stops: (day: string) => `stops ${day}, as you chose`,
    begins: (day: string) => `begins ${day}`,
    disabled: (day: string) => `You stopped sharing ${day}`,
    disabledUnknown: 'You stopped sharing',
    ended: (day: string) => `Expired ${day}`,
    rejected: 'You declined it',
    pending: 'Waiting for your decision',
    removed: 'Removed',
  },
  renewed: (name: string) => `The permission for ${name} was renewed`,
  renewedText: (day: string) => `It was renewed on ${day}, as you agreed, and continues until you stop sharing.`,
  stopped: {
    title: (name: string) => `${name} can no longer read this data`,
    stillShared: (name: string) => `${name} can still read this data`,
    proof: {
      refused: (status: string) => `Your PDA made the same request just now: ${status}`,
      shared: (status: string) =>
        `Your PDA made the same request just now and still received data: ${status}. See the page of this consent.`,
      inconclusive: (status: string) =>
        `The same request could not be checked: ${status}. See the page of this consent.`,
    },
    unproved: 'The same request could not be made. See the page of this consent.',
    viewProof: 'View proof',
  },
  enabledAgain: (name: string) => `${name} can read this data again`,
  continues: (name: string) => `The consent for ${name} continues`,
  allowedAgain: (name: string, day: string) => `Allowed again. ${name} can read this data from ${day}`,

  page: {
    title: (name: string, what: string) => `${name} can see ${what}`,
    laterTitle: (name: string, what: string) => `${name} will be able to see ${what}`,
    pastTitle: (name: string, what: string) => `${name} could see ${what}`,
    refusedTitle: (name: string, what: string) => `${name} asked for ${what}`,
    notFound: 'Consent not found',
    notFoundShort: 'No consent at this address',
    notFoundText: 'It was removed, or the address is incomplete. Its reads are kept in the access history.',
    back: 'All consents',
    since: 'Allowed',
    howOften: 'How often',
    counts: (reads: number, n: number) => `${times(reads)}, ${records(n)} in total`,
    refusedTerm: 'Refused',
    refused: (n: number) => count(n, 'request', 'requests'),
    history: 'View access history',
    waiting: 'A requested change is waiting for your decision.',
    waitingRequest: 'A request is waiting for your decision.',
    decide: 'Review and decide',
    stopAtEnd: (day: string) => `Stop at the end of this period: ${day}`,
    shareAgain: 'Share again',
    keepSharing: 'Keep sharing',
    removeTitle: (name: string) => `Remove the consent for ${name}`,
    removeText: (name: string, isNotified: boolean) =>
      `The consent ends immediately and disappears from this list. ${name} ${isNotified ? 'is notified and ' : ''}can never use this key for a request again. Its reads stay in the access history.`,
    removeSubmit: 'Remove it',
    removed: (name: string) => `Consent for ${name} removed`,
    stopsAtEnd: (day: string) => `Sharing stops ${day}`,
    technical: { show: 'Show the Data Debit as JSON', json: 'The Data Debit as JSON' },
  },
  change: {
    title: (name: string) => `Change what ${name} can see`,
    lead: (notified: string | null) =>
      `Choose from what was requested. Your change takes effect immediately and needs no agreement.${notified === null ? '' : ` ${notified} is notified.`}`,
    againTitle: (name: string) => `Share again with ${name}`,
    againLead: 'Choose from what was requested. Nothing is shared before you confirm.',
    now: 'Now',
    before: 'Before',
    until: 'Until',
    asGranted: (until: string) => `As you allowed: ${until}`,
    submit: (what: string, until: string) => `Share ${what} ${until}`,
    nothing: 'Nothing is left to share. To share nothing, stop sharing.',
    changed: (name: string) => `You changed what ${name} can see`,
    outdated: 'This consent was changed in the meantime',
    outdatedText: 'Your change was not saved. The page shows the current consent.',
  },
  proof: {
    title: 'Proof that sharing has ended',
    text: (name: string) => `Your PDA makes the same request that ${name} would make.`,
    request: 'Request',
    response: 'Response',
    results: {
      refused: (status: string) => `${status}: refused`,
      shared: (status: string) => `${status}: data is still shared`,
      inconclusive: (status: string) => `${status}: this says nothing about the consent`,
    },
    stillShared: 'The proof failed: this consent still shares values. Reload the page and stop it again.',
    time: 'Time',
    repeat: 'Repeat request',
    body: 'Full response',
  },
  receipt: {
    title: 'Receipt',
    text: 'A file with the agreement and its history, signed by your PDA. You and the requester can use it later to prove what you allowed.',
    check: 'Anyone can verify it offline, without asking you:',
    command: (key: string) => `npm run pda -- verify-receipt receipt-${key}.json --key THUMBPRINT`,
    thumbprint:
      'Thumbprint of your signing key. Give it to the requester yourself, so that they can verify that the receipt is yours:',
    download: 'Download signed receipt',
    file: (key: string) => `receipt-${key}.json`,
  },
  past: {
    title: 'History of permissions',
    states: {
      waiting: 'Waiting for your decision',
      rejected: 'Declined',
      scheduled: 'Allowed, not started',
      running: 'Allowed, running',
      ended: 'Expired',
      disabled: 'Stopped',
      replaced: 'Replaced by a newer one',
    },
    requested: 'Asked',
    stopped: 'Stopped',
    ended: 'Ended',
    less: 'You allowed less than requested. Not allowed:',
    compared: 'Compared with the previous one',
    same: 'Same as the previous one',
  },
} as const;

import { calendarDay, count, number } from '../../../shared/format/format.ts';
import { list } from '../../../shared/messages/en/consent.ts';

const fields = (n: number) => count(n, 'field', 'fields');
const records = (n: number) => count(n, 'record', 'records');

export const requests = {
  pageTitle: 'Requests',
  lead: (n: number) =>
    n === 0
      ? 'No requests are waiting for your decision.'
      : n === 1
        ? 'One request is waiting for your decision. Nothing is shared before you allow it.'
        : `${number(n)} requests are waiting for your decision. Nothing is shared before you allow it.`,
  badge: (n: number) => `${number(n)} waiting`,
  empty: {
    title: 'No requests',
    text: 'Requests for your data appear here: who asks, what exactly would be shared, and until when. Nothing is shared before you allow it.',
  },
  waiting: 'Waiting for you',
  decided: 'Decided',
  decidedLabel: 'Decided requests',
  change: 'Change',
  asksFor: (what: string) => `Asks for ${what}`,
  asksChange: (n: number) =>
    n === 0 ? 'Asks for the same data again' : `Asks for ${count(n, 'change', 'changes')} to its current permission`,
  columns: { who: 'Who', what: 'What', decision: 'Decision', when: 'Asked' },
  states: {
    pending: 'Waiting',
    enabled: 'Allowed',
    disabled: 'Allowed, then stopped',
    ended: 'Allowed, expired',
    rejected: 'Declined',
    removed: 'Removed',
  },
  home: (name: string) => `${name} is waiting for your decision`,
  homeText: (what: string) => `It asks for ${what}.`,
  homeChange: (name: string) => `${name} wants to change what it can see`,
  homeNames: (names: readonly string[]) =>
    `${list(names.length > 3 ? [...names.slice(0, 3), `${number(names.length - 3)} more`] : names)}.`,
  homeMany: (n: number) => `${count(n, 'request is', 'requests are')} waiting for your decision`,

  page: {
    title: (name: string, what: string) => `${name} asks for ${what}`,
    changeTitle: (name: string) => `${name} asks to change what it can see`,
    notFound: 'Request not found',
    notFoundShort: 'No request at this address',
    notFoundText: 'It was withdrawn, or the address is incomplete.',
    back: 'All requests',
    opensInNewWindow: 'opens in a new window',
    received: 'asked',
    from: {
      owner: 'entered with your own sign-in',
      application: (name: string) => `sent by the application ${name}, signed in here`,
      offer: (name: string) => `sent for ${name}, whose Offer you claimed`,
    },
    requesterText: 'The requester wrote the name, picture and purpose. Your PDA controls what is shared.',
    purpose: 'Purpose',
    when: 'When',
    atMost: 'At most',
    notified: 'Notified',
    notifiedText: (host: string) =>
      `${host} is notified of your decision, of the end, and of new data, but never receives the data this way.`,
    terms: 'Terms',
    termsLink: (host: string) => `Terms of ${host}`,
    conditions: 'Only while',
    conditionsText: (endpoints: readonly string[]) =>
      `there are matching records in ${list(endpoints)}. Otherwise nothing is shared. Those records themselves are not shared.`,
    filteredEndpoint: (endpoint: string, filters: string) =>
      `${endpoint} (${filters.slice(0, 1).toLowerCase()}${filters.slice(1)})`,
    howLong: 'For how long',
    asRequested: (until: string) => `As requested: ${until}`,
    endsOn: (until: string, span: string) => `${until} (${span}), then it ends`,
    customDay: 'Until a day I choose',
    customDayLabel: 'Last day',
    customDayInvalid: (first: string, last: string | undefined) =>
      last === undefined
        ? `Choose ${calendarDay(first)} or a later day`
        : `Choose a day from ${calendarDay(first)} to ${calendarDay(last)}`,
    atMostText: (what: string, until: string) => `${what}, ${until}.`,
    atMostNothing: 'Nothing. You left out everything.',
  },
  changed: {
    title: 'This request changed while you were reading',
    text: 'Nothing was allowed. The page now shows the new request.',
  },
  changes: {
    title: 'What would change',
    running: (until: string) => `Until you decide, your current permission (${until}) continues unchanged.`,
    kinds: { more: 'More', less: 'Less', other: 'Other' },
    same: 'Nothing: it asks for the same data again, for a new period.',
  },
  differences: {
    entireAdded: (label: string, endpoint: string) =>
      `Entire records of ${label} (${endpoint}): every field, including fields added later`,
    fieldsAdded: (names: readonly string[], label: string, endpoint: string) =>
      `${list(names)} of ${label} (${endpoint})`,
    nowEntire: (label: string, before: number) =>
      `Entire records of ${label}, every field, including fields added later, instead of ${fields(before)}`,
    onlyFields: (names: readonly string[], label: string) =>
      `Only ${list(names)} of ${label}, no longer entire records`,
    fieldsGone: (names: readonly string[], label: string) => `No longer ${list(names)} of ${label}`,
    entryGone: (label: string) => `No more data from ${label}`,
    filters: (label: string, before: string | undefined, after: string | undefined) =>
      after === undefined
        ? `Every record of ${label}. Before: ${before ?? ''}`
        : `${label}: ${after}. Before: ${before ?? 'every record'}`,
    amount: (label: string, before: string, after: string) => `${label}: ${after}. Before: ${before}`,
    nowEnds: 'It would end with its period. Currently it renews until you stop sharing',
    nowRenews: 'It would renew until you stop sharing. Currently it ends with its period',
    period: (before: string, after: string) => `A period is ${after} long. Before: ${before}`,
    end: (before: string, after: string) => `It would end on ${after}. Before: ${before}`,
    noConditions: 'The previous condition is removed',
    conditions: (endpoints: readonly string[]) =>
      `New condition: only while there are matching records in ${list(endpoints)}`,
    purpose: (before: string) => `The text of its purpose changed. Before: “${before}”`,
    terms: 'Its terms are at a different address',
    name: (before: string, after: string) => `It calls itself ${after}. Before: ${before}`,
    site: (before: string, after: string) => `Its website is ${after}. Before: ${before}`,
  },
  scope: {
    title: 'What would be shared',
    titleRunning: 'What it can see',
    selectedCount: (on: number, all: number) => `${number(on)} of ${fields(all)}`,
    entireTitle: 'Entire records',
    entire: (n: number) => `Every field (${number(n)} now), including fields added later.`,
    entireAll: 'Every field, including fields added later.',
    entireUnseen: 'Every field, including fields added later. No records exist yet to show the fields.',
    entireNarrowed: (n: number) => `Only the ${fields(n)} that are turned on. Fields added later stay private.`,
    later: 'Future fields',
    laterText: 'everything that is added to these records later',
    everythingIn: 'with everything in it',
    sentAs: (name: string) => `sent as ${name}`,
    all: (label: string) => `All of ${label}`,
    off: 'Left out by you.',
    onlyEntire: 'can be shared only together with entire records',
    fieldOf: (field: string, label: string) => `${field} of ${label}`,
    together: 'Together',
  },
  sharedNow: {
    title: 'Preview of the shared data',
    titleRunning: 'Shared now',
    view: 'View',
    read: 'Read',
    json: 'JSON',
    count: (sharedCount: number) => `${records(sharedCount)} would be shared now`,
    countOf: (sharedCount: number, matching: number) =>
      `${number(sharedCount)} of ${count(matching, 'matching record', 'matching records')} would be shared now`,
    countRunning: (sharedCount: number) => `${records(sharedCount)} now`,
    countOfRunning: (sharedCount: number, matching: number) =>
      `${number(sharedCount)} of ${count(matching, 'matching record', 'matching records')}`,
    none: 'No records to share now',
    noneText: 'No record matches. Matching records that are added later are included.',
    noneHeld: 'You have no such records. Records that are added later are included.',
    off: 'You left this out.',
    all: (n: number) => `See all ${number(n)}`,
    allTitle: (name: string) => `${name}: all shared records`,
    range: (from: number, to: number, total: number) => `${number(from)}–${number(to)} of ${number(total)}`,
    size: (size: string) => `${size} on this page`,
    nothing: 'an empty record',
    unmet: 'The condition is not met, so nothing is shared now. If it were met, these records would be shared.',
  },
  withheld: {
    title: 'What stays private',
    text: 'Not requested, or left out by you. This permission gives no access to it.',
    leftOut: 'Left out by you',
    fieldsOf: (label: string) => `Other fields of ${label}`,
    recordsOf: (label: string) => `Other records of ${label}`,
    records: (n: number) =>
      n === 1
        ? `${records(n)} that does not match or is beyond the requested number`
        : `${records(n)} that do not match or are beyond the requested number`,
    everythingElse: 'Everything else',
    endpoints: (n: number, recordCount: number) =>
      `${count(n, 'other endpoint', 'other endpoints')} with ${records(recordCount)}`,
    nothingElse: 'You have no other records.',
    showAll: (n: number) => `Show all ${number(n)}`,
  },
  decide: {
    label: 'Your decision',
    allow: (what: string, until: string) => `Allow ${what} ${until}`,
    fields: (n: number) => fields(n),
    nothing: 'Nothing is left to allow',
    decline: 'Decline',
    enterDisabled: 'Enter does not confirm this decision. Press Space, or click.',
    reviewFirst: 'Review the new request first.',
    expired: 'This request has expired.',
    declineTitle: (name: string) => `Decline the request from ${name}`,
    declineText: (name: string, isNotified: boolean) =>
      `Nothing is shared with ${name}${isNotified ? ', and it is notified' : ''}. It can send a new request.`,
    declineChangeText: (name: string, isNotified: boolean) =>
      `The change is declined${isNotified ? `, and ${name} is notified` : ''}. Your current permission continues unchanged.`,
    declineSubmit: 'Decline request',
    declineChangeSubmit: 'Decline change',
    keep: 'Go back',
    allowed: (name: string) => `${name} can see what you allowed`,
    allowedText: (what: string, until: string) => `${what}, ${until}.`,
    allowedLater: (name: string, from: string) => `${name} will be able to see what you allowed. ${from}`,
    declined: (name: string) => `Request from ${name} declined`,
    declinedText: 'Nothing is shared.',
    declinedChangeText: 'Your current permission continues unchanged.',
  },
  technical: {
    title: 'For developers',
    key: 'Data Debit key',
    bundle: 'Data Bundle',
    application: 'Application ID',
    permission: 'Permission',
    json: 'The proposal as JSON',
    show: 'Show the proposal as JSON',
    hide: 'Hide the JSON',
  },
} as const;

import { count, number } from '../../../shared/format/format.ts';
import { list } from '../../../shared/messages/en/consent.ts';

const fields = (n: number) => count(n, 'field', 'fields');
const records = (n: number) => count(n, 'record', 'records');

export const requests = {
  pageTitle: 'Requests',
  lead: (n: number) =>
    n === 0
      ? 'Nobody waits for a decision of yours.'
      : n === 1
        ? 'One request waits for your decision. Nothing of it is shared before you allow it.'
        : `${number(n)} requests wait for your decision. Nothing of them is shared before you allow it.`,
  badge: (n: number) => `${number(n)} waiting`,
  empty: {
    title: 'No requests',
    text: 'When somebody asks to see some of your data, it is shown here: who asks, what exactly would leave, and until when. Nothing leaves before you allow it.',
  },
  waiting: 'Waiting for you',
  decided: 'Decided',
  decidedLabel: 'Decided requests',
  change: 'Change',
  asksFor: (what: string) => `Asks for ${what}`,
  asksChange: (n: number) => `Asks for ${count(n, 'change', 'changes')} of what it can see now`,
  open: 'Look and decide',
  columns: { who: 'Who', what: 'What', decision: 'Decision', when: 'Asked' },
  more: (n: number) => `Show ${number(n)} more`,
  states: {
    pending: 'Waiting',
    enabled: 'Allowed',
    disabled: 'Allowed, then stopped',
    ended: 'Allowed, ended by itself',
    rejected: 'Refused',
    removed: 'Removed',
  },
  home: (name: string) => `${name} wants your decision`,
  homeText: (what: string) => `It asks for ${what}.`,
  homeChange: (name: string) => `${name} wants to change what it can see`,
  homeNames: (names: readonly string[]) =>
    `${list(names.length > 3 ? [...names.slice(0, 3), `${number(names.length - 3)} more`] : names)}.`,
  homeMany: (n: number) => `${count(n, 'request wants', 'requests want')} your decision`,

  page: {
    title: (name: string, what: string) => `${name} asks for ${what}`,
    changeTitle: (name: string) => `${name} asks to change what it can see`,
    gone: 'This request is not here any more',
    goneText: 'It was taken back, or the address is incomplete.',
    back: 'All requests',
    opens: 'opens in a new window',
    asked: 'asked',
    from: {
      owner: 'entered with your own sign-in',
      application: (name: string) => `sent by the application ${name}, signed in here`,
      offer: (name: string) => `sent for ${name}, whose offer you claimed`,
    },
    ownWords: 'Its name, picture and purpose are its own words. What leaves is checked by your PDA.',
    purpose: 'What for',
    when: 'When',
    atMost: 'At most',
    tells: 'Who hears of it',
    tellsText: (host: string) =>
      `${host} hears what you decide, when it ends, and that there is new data; never the data itself.`,
    terms: 'Terms',
    termsLink: (host: string) => `Terms of ${host}`,
    conditions: 'Only while',
    conditionsText: (places: readonly string[]) =>
      `there are fitting records in ${list(places)}. Otherwise nothing leaves. Those records themselves do not leave.`,
    place: (endpoint: string, filters: string) =>
      `${endpoint} (${filters.slice(0, 1).toLowerCase()}${filters.slice(1)})`,
    howLong: 'For how long',
    asAsked: (until: string) => `As asked: ${until}`,
    endsOn: (until: string, span: string) => `${until} (${span}), then it ends`,
    ownDay: 'Until a day that I choose',
    ownDayLabel: 'Last day',
    ownDayBad: 'A day from today, within what was asked',
    worst: (what: string, until: string) => `${what}, ${until}.`,
    worstNothing: 'Nothing. You have left out all of it.',
  },
  changed: {
    title: 'This request changed while you were reading',
    text: 'Nothing was allowed. You now see the new request.',
  },
  whatChanges: {
    title: 'What would change',
    running: (until: string) => `Until you decide, what you allowed before goes on as it is, ${until}.`,
    kinds: { more: 'More', less: 'Less', other: 'Other' },
    same: 'Nothing: the same is asked for again, for a new period.',
  },
  differences: {
    entireAdded: (place: string, endpoint: string) =>
      `Entire records of ${place} (${endpoint}): every field, also fields that come later`,
    fieldsAdded: (names: readonly string[], place: string, endpoint: string) =>
      `${list(names)} of ${place} (${endpoint})`,
    nowEntire: (place: string, before: number) =>
      `Entire records of ${place}, every field and later ones too, in place of ${fields(before)}`,
    onlyFields: (names: readonly string[], place: string) =>
      `Only ${list(names)} of ${place}, no longer entire records`,
    fieldsGone: (names: readonly string[], place: string) => `No longer ${list(names)} of ${place}`,
    entryGone: (place: string) => `No longer anything of ${place}`,
    filters: (place: string, before: string | undefined, after: string | undefined) =>
      after === undefined
        ? `Every record of ${place}. Before: ${before ?? ''}`
        : `${place}: ${after}. Before: ${before ?? 'every record'}`,
    amount: (place: string, before: string, after: string) => `${place}: ${after}. Before: ${before}`,
    nowEnds: 'It ends by itself with its period. Before, it renewed until you stop it',
    nowRenews: 'It renews until you stop it. Before, it ended by itself with its period',
    period: (before: string, after: string) => `A period is ${after} long. Before: ${before}`,
    noConditions: 'Without the condition that it had before',
    conditions: (places: readonly string[]) =>
      `Another condition: only while there are fitting records in ${list(places)}`,
    purpose: (before: string) => `Its purpose is said in other words. Before: “${before}”`,
    terms: 'Its terms are at another address',
    name: (before: string, after: string) => `It calls itself ${after}. Before: ${before}`,
    site: (before: string, after: string) => `Its site is ${after}. Before: ${before}`,
  },
  leave: {
    title: 'What would leave',
    titleRunning: 'What it can see',
    chosen: (on: number, all: number) => `${number(on)} of ${fields(all)}`,
    entireTitle: 'Entire records',
    entire: (n: number) => `Every field (${number(n)} now), also fields that come later.`,
    entireAll: 'Every field, also fields that come later.',
    entireUnseen: 'Every field, also fields that come later. There are no records yet to show them.',
    entireNarrowed: (n: number) => `Only the ${fields(n)} that are switched on. Fields that come later stay home.`,
    later: 'Fields that come later',
    laterText: 'whatever else is added to these records',
    everythingIn: 'with everything in it',
    sentAs: (name: string) => `sent as ${name}`,
    all: (place: string) => `All of ${place}`,
    off: 'Left out by you.',
    onlyEntire: 'can leave only together with entire records',
    fieldOf: (field: string, place: string) => `${field} of ${place}`,
    together: 'Together',
  },
  now: {
    title: 'As it would leave now',
    titleRunning: 'What leaves now',
    view: 'View',
    read: 'Read',
    json: 'JSON',
    count: (leaving: number) => `${records(leaving)} would leave now`,
    countOf: (leaving: number, matching: number) =>
      `${number(leaving)} of ${records(matching)} that fit would leave now`,
    countRunning: (leaving: number) => `${records(leaving)} now`,
    countOfRunning: (leaving: number, matching: number) => `${number(leaving)} of ${records(matching)} that fit`,
    none: 'No record would leave now',
    noneText: 'There is none that fits. What is written later would.',
    noneHeld: 'You hold no such records. What is written there later would leave.',
    off: 'You have left this out.',
    nothingLeaves: 'Nothing. You have left out all of it.',
    all: (n: number) => `See all ${number(n)}`,
    allTitle: (name: string) => `${name}: every record that would leave now`,
    range: (from: number, to: number, total: number) => `${number(from)}–${number(to)} of ${number(total)}`,
    previous: 'Previous records',
    next: 'Next records',
    size: (size: string) => `${size} on this page`,
    nothing: 'an empty record',
    unmet:
      'Its condition is not met now, so nothing would leave at this moment. These are the records that would, if it were.',
  },
  stays: {
    title: 'What stays home',
    text: 'Not asked for, or left out by you. It cannot be read through this.',
    leftOut: 'Left out by you',
    fieldsOf: (place: string) => `Other fields of ${place}`,
    recordsOf: (place: string) => `Other records of ${place}`,
    records: (n: number) => `${records(n)} that do not fit, or are beyond the limit`,
    elsewhere: 'Everything else',
    endpoints: (n: number, held: number) => `${count(n, 'other endpoint', 'other endpoints')} with ${records(held)}`,
    noneElsewhere: 'There is nothing else in your PDA.',
    andMore: (n: number) => `and ${number(n)} more`,
    showAll: (n: number) => `Show all ${number(n)}`,
    everything: (place: string) => `All of ${place}`,
  },
  decide: {
    label: 'Your decision',
    allow: (what: string, until: string) => `Allow ${what} ${until}`,
    fields: (n: number) => fields(n),
    nothing: 'Nothing is left to allow',
    notNow: 'Not now',
    never: 'Never',
    noEnter: 'Enter does not allow. Press Space, or click.',
    look: 'Look at the new request first.',
    over: 'Its time is over: there is nothing to allow.',
    neverTitle: (name: string) => `Refuse ${name}`,
    neverText: (name: string) =>
      `Nothing is shared with ${name}, and it is told so. It can ask again, with a new request.`,
    neverChangeText: (name: string) =>
      `The change is refused, and ${name} is told so. What you allowed before goes on as it is.`,
    neverSubmit: 'Refuse this request',
    neverChangeSubmit: 'Refuse this change',
    keep: 'Go back',
    allowed: (name: string) => `${name} can see what you allowed`,
    allowedText: (what: string, until: string) => `${what}, ${until}.`,
    allowedLater: (name: string, from: string) => `${name} can see what you allowed. ${from}`,
    refused: (name: string) => `${name} is refused`,
    refusedText: 'Nothing is shared with it.',
    refusedChangeText: 'What you allowed before goes on as it is.',
  },
  technical: {
    title: 'For developers',
    key: 'Data Debit key',
    bundle: 'Data Bundle',
    application: 'Application id',
    permission: 'Permission',
    json: 'The proposal as JSON',
    show: 'Show the proposal as JSON',
    hide: 'Hide the JSON',
    copy: 'Copy',
  },
} as const;

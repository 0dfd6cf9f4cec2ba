import { count, number } from '../../../shared/format/format.ts';

const people = (n: number) => count(n, 'person', 'people');
const records = (n: number) => count(n, 'record', 'records');

/** What organisations offer through the exchange. */
export const offers = {
  tabs: { label: 'Parts of Requests', requests: 'Asked of you', offers: 'Offers' },
  pageTitle: 'Offers',
  lead: 'What organisations offer to people who share something with them. Taking part shares nothing yet: it makes a request, and you decide about that.',
  asOf: 'List of the exchange as of',
  groups: {
    waiting: 'Wait for your decision',
    open: 'Open now',
    sharing: 'You take part',
    over: 'Over',
  },
  find: 'Find an Offer',
  clearFind: 'Clear the search',
  findNone: (text: string) => `No Offer matches “${text}”.`,
  more: (n: number) => `Show ${number(n)} more`,
  by: (name: string) => `by ${name}`,
  asksFor: (what: string) => `Would get ${what}`,
  gets: (what: string) => `Gets ${what}`,
  got: (what: string) => `Asked for ${what}`,
  for: (span: string) => `for ${span}`,
  held: (n: number) => (n === 0 ? 'you hold no such records now' : `you hold ${records(n)} of these`),
  states: {
    open: 'Open',
    openUntil: (day: string) => `until ${day}`,
    closed: 'Not open',
    waiting: 'Waits for your decision',
    sharing: 'Shared',
    stopped: 'Ended',
    rejected: 'You refused it',
  },
  empty: {
    noExchange: 'No exchange',
    noExchangeText:
      'Organisations make Offers through an exchange: what they want, what for, and what you get for it. Your PDA takes part in none. You can choose one in the settings; that shares nothing.',
    choose: 'Choose an exchange',
    none: 'No Offers now',
    noneText: (exchange: string) =>
      `There are no Offers on ${exchange} at the moment. New Offers appear here automatically.`,
  },
  notRegistered: {
    title: (exchange: string) => `Your PDA is not registered with ${exchange}`,
    text: 'Until it is, you can look at Offers and not take part.',
    go: 'Network settings',
  },
  notAsked: {
    title: (exchange: string) => `${exchange} could not be asked just now`,
    asOf: 'What you see is from',
    never: 'Its Offers have not been read yet.',
  },
  gone: {
    title: 'There is no such Offer',
    text: 'The exchange has taken it back, or the address is incomplete.',
    all: 'All Offers',
  },
  page: {
    purpose: 'What for',
    provider: 'Who',
    atMost: 'At most',
    worst: (what: string, span: string) => `${what}, for ${span}.`,
    collects: 'How long',
    collectsText: (span: string) => `${span}, counted from when you take part. Then it ends by itself.`,
    conditions: 'Only while',
    people: 'How many people',
    upTo: (n: number) => `At most ${people(n)}.`,
    exactly: (n: number) => `${people(n)}.`,
    from: (least: number, most: number) => `${number(least)} to ${people(most)}.`,
    least: (least: number, name: string) =>
      `Until ${people(least)} have allowed it, the exchange gives ${name} no way to read anybody’s data.`,
    until: 'Open until',
    opens: 'Open from',
    terms: 'Terms',
    termsLink: (host: string) => `Terms of ${host}`,
    here: 'You hold',
    hereText: (n: number, endpoint: string) => `${records(n)} in ${endpoint}`,
    ownWords:
      'Title, purpose and picture are the organisation’s own words; the operator of the exchange has approved them. What leaves is checked by your PDA.',
    technical: {
      id: 'Offer',
      provider: 'Provider',
      bundle: 'Bundle',
      show: 'Show the Offer as JSON',
      json: 'The Offer as JSON',
    },
  },
  claim: {
    action: 'Take part',
    title: 'Taking part shares nothing yet',
    text: (exchange: string, name: string) =>
      `It makes a request with everything below. That waits for you, and you can leave out any of it, or refuse. ${exchange} learns that your PDA takes part. ${name} learns the address of your PDA only once you have allowed it.`,
    done: (title: string) => `You take part in “${title}”`,
    doneText: 'Nothing is shared yet. Look at what it asks for, and decide.',
  },
  closed: {
    ended: (day: string) => `It was open until ${day}`,
    later: (day: string) => `It opens on ${day}`,
    full: 'It has as many people as it wants',
    text: 'You cannot take part now. Nothing of yours is shared by it.',
    here: 'You cannot take part now',
    hereText: 'Your PDA is not registered with the exchange of this Offer.',
  },
  notice: {
    waiting: 'You take part, and nothing is shared yet',
    waitingText: 'Its request waits for your decision.',
    decide: 'Look and decide',
    sharing: (name: string) => `${name} can read what you allowed`,
    look: 'See what is shared',
    rejected: 'You refused its request',
    rejectedText: 'Nothing is shared by it.',
    ended: 'It does not read any more',
    endedText: 'What it read before stays in the access history.',
  },
} as const;

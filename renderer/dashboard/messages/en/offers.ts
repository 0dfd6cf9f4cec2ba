import { count, number } from '../../../shared/format/format.ts';

const people = (n: number) => count(n, 'person', 'people');
const records = (n: number) => count(n, 'record', 'records');

export const offers = {
  tabs: { label: 'Requests', requests: 'For your decision', offers: 'Offers' },
  pageTitle: 'Offers',
  lead: 'What organisations offer in return for some of your data. Taking part shares nothing yet: it creates a request, which you can allow or decline.',
  asOf: 'Exchange list as of',
  groups: {
    waiting: 'Waiting for your decision',
    open: 'Open now',
    sharing: 'Taking part',
    closed: 'Not open',
  },
  search: 'Find an Offer',
  noMatch: (text: string) => `No Offer matches “${text}”.`,
  by: (name: string) => `by ${name}`,
  asksFor: (what: string) => `Would get ${what}`,
  gets: (what: string) => `Gets ${what}`,
  askedFor: (what: string) => `Asked for ${what}`,
  for: (span: string) => `for ${span}`,
  matchingCount: (n: number) =>
    n === 0 ? 'you have no matching records now' : `you have ${records(n)} that ${n === 1 ? 'matches' : 'match'}`,
  states: {
    open: 'Open',
    closed: 'Not open',
    waiting: 'Waiting for your decision',
    sharing: 'Shared',
    stopped: 'Ended',
    rejected: 'You declined it',
  },
  empty: {
    noExchange: 'No exchange',
    noExchangeText:
      'Organisations publish Offers on an exchange: what they ask for, why, and what you get in return. Your PDA is not connected to an exchange. You can choose one in the settings; this shares nothing.',
    choose: 'Choose an exchange',
    none: 'No current Offers',
    noneText: (exchange: string) =>
      `There are no Offers on ${exchange} at the moment. New Offers appear here automatically.`,
  },
  notRegistered: {
    title: (exchange: string) => `Your PDA is not registered with ${exchange}`,
    text: 'Until it is registered, you can view Offers but not take part.',
    go: 'Network settings',
  },
  unavailable: {
    title: (exchange: string) => `${exchange} is not available at the moment`,
    asOf: 'Last updated',
    never: 'Its Offers have not been loaded yet.',
  },
  notFound: {
    title: 'Offer not found',
    text: 'It was withdrawn, or the address is incomplete.',
    all: 'All Offers',
  },
  page: {
    atMostText: (what: string, span: string) => `${what}, for ${span}.`,
    collects: 'Duration',
    collectsText: (span: string) => `${span} from the moment you take part. Then it ends automatically.`,
    people: 'Participants',
    upTo: (n: number) => `At most ${people(n)}.`,
    exactly: (n: number) => `${people(n)}.`,
    from: (minimum: number, maximum: number) => `${number(minimum)} to ${people(maximum)}.`,
    minimumText: (minimum: number, name: string) =>
      `Until ${people(minimum)} have allowed it, ${name} cannot read any data.`,
    until: 'Open until',
    opens: 'Open from',
    providerText:
      'The organisation wrote the title, purpose and picture, and the operator of the exchange approved them. Your PDA controls what is shared.',
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
      `It creates a request for everything below, which waits for your decision. You can leave out any of it, or decline. ${exchange} learns that your PDA takes part. ${name} learns the address of your PDA only after you allow the request.`,
    done: (title: string) => `You are taking part in “${title}”`,
    doneText: 'Nothing is shared yet. Review the request and decide.',
  },
  closed: {
    ended: (day: string) => `It was open until ${day}`,
    later: (day: string) => `It opens ${day}`,
    full: 'It has reached its maximum number of participants',
    text: 'None of your data is shared for this Offer.',
    cannotTakePart: 'You cannot take part now',
    cannotTakePartText: 'Your PDA is not registered with the exchange of this Offer.',
  },
  notice: {
    waiting: 'You are taking part, and nothing is shared yet',
    waitingText: 'The request waits for your decision.',
    sharing: (name: string) => `You allowed the request from ${name}`,
    view: 'View shared data',
    rejected: 'You declined the request',
    rejectedText: 'Nothing is shared.',
    ended: (name: string) => `${name} can no longer read this data`,
    endedText: 'Earlier reads stay in the access history.',
  },
} as const;

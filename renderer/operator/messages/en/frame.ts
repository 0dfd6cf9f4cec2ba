import { count } from '../../../shared/format/format.ts';

/** Frame, signing in, and what every page of the exchange shares. */
export const frame = {
  product: 'Exchange',
  nav: {
    overview: 'Overview',
    applications: 'Applications',
    offers: 'Offers',
    plugs: 'Data Plugs',
    pdas: 'PDAs',
    data: 'Available data',
    accounts: 'Accounts',
    audit: 'Audit log',
  },
  waiting: (n: number) => (n === 1 ? ', 1 waits for a decision' : `, ${n} wait for a decision`),
  signIn: {
    pageTitle: 'Sign in',
    title: 'Sign in to the exchange',
    ended: 'Your session has ended. Sign in to go on where you were.',
    name: 'Name',
    password: 'Password',
    submit: 'Sign in',
    missingName: 'Enter the name of your account.',
    missingPassword: 'Enter the password.',
    wrong: 'The name or the password is not right, or the account is disabled.',
  },
  problem: {
    unreachable: 'The exchange does not answer. Nothing was changed. Check that it is running, then try again.',
    unreadable:
      'Something between this page and the exchange gave an answer that could not be read. Nothing was changed.',
    internal: 'Internal error of the exchange. Its log has the details under the request number below.',
    rateLimited: (seconds: number | undefined) =>
      seconds === undefined
        ? 'Too many tries in a short time. Wait a moment, then try again.'
        : `Too many tries in a short time. Try again in ${count(Math.ceil(seconds), 'second', 'seconds')}.`,
    refused: (_code: string, words: string, _language: string) => words,
    outOfDisk: 'The disk of the exchange is full. What was there before is kept; nothing new can be stored.',
  },
  notYours: {
    title: 'This page is for others',
    text: 'Your account has no role that goes with it. An administrator of the exchange can give it one.',
  },
  notFound: {
    title: 'There is nothing at this address',
    text: 'The address is incomplete, or what it led to is gone.',
  },
  home: 'Go to the overview',
  list: {
    more: 'Show more',
    loadingMore: 'Loading more',
    end: (n: number, one: string, other: string) => (n === 0 ? '' : `${count(n, one, other)}. That is all.`),
  },
  cancel: 'Cancel',
  never: 'Never',
  changed: 'It was changed after you looked at it. Nothing was decided; this is how it is now.',
  /** Roles of accounts, and what each lets one do. */
  roles: {
    developer: { name: 'Developer', text: 'Hands in applications' },
    dataPlug: { name: 'Data Plug', text: 'Runs Data Plugs' },
    marketPlace: { name: 'Market place', text: 'Makes Offers and reads what was claimed' },
    management: { name: 'Management', text: 'Describes the available data' },
    administrator: { name: 'Administrator', text: 'Everything, and decides about all of it' },
  },
} as const;

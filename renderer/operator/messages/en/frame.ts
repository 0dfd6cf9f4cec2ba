import { count, number } from '../../../shared/format/format.ts';

/** Frame, sign-in and messages of several pages. */
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
  waiting: (n: number, isMinimum: boolean) => `, ${number(n)}${isMinimum ? ' or more' : ''} waiting for a decision`,
  signIn: {
    pageTitle: 'Sign in',
    title: 'Sign in to the exchange',
    signedOut: 'You are signed out.',
    ended: 'Your session has ended. Sign in to continue where you left off.',
    name: 'Name',
    password: 'Password',
    submit: 'Sign in',
    missingName: 'Enter the name of your account.',
    missingPassword: 'Enter the password.',
    wrong: 'Wrong name or password, or the account is disabled.',
  },
  problem: {
    unreachable:
      'The exchange is not responding. Check that it is running, then try again. If you were making a change, first check whether it was made.',
    unreadable:
      'Something between this page and the exchange sent an unreadable response. If you were making a change, check whether it was made.',
    internal: 'The exchange had an internal error. Its log has the details under the request ID below.',
    rateLimited: (seconds: number | undefined) =>
      seconds === undefined
        ? 'Too many attempts in a short time. Wait a moment, then try again.'
        : `Too many attempts in a short time. Try again in ${count(Math.ceil(seconds), 'second', 'seconds')}.`,
    refused: (_code: string, message: string, _language: string) => message,
    outOfDisk: 'The disk of the exchange is full. Existing data is kept, but nothing new can be stored.',
  },
  noAccess: {
    title: 'You have no access to this page',
    text: 'Your account does not have the required role. An administrator of the exchange can add it.',
  },
  notFound: {
    title: 'Page not found',
    text: 'The address is incomplete, or the page no longer exists.',
  },
  home: 'Go to the overview',
  list: {
    more: 'Show more',
    loadingMore: 'Loading more',
    end: (n: number, singular: string, plural: string) => (n === 0 ? '' : `${count(n, singular, plural)} in total`),
  },
  never: 'Never',
  roles: {
    developer: { name: 'Developer', text: 'Submits applications' },
    dataPlug: { name: 'Data Plug', text: 'Runs Data Plugs' },
    marketPlace: { name: 'Marketplace', text: 'Creates Offers and reads claims' },
    management: { name: 'Management', text: 'Describes the available data' },
    administrator: { name: 'Administrator', text: 'Has full access and makes all decisions' },
  },
} as const;

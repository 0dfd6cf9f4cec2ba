import { count } from '../../format.ts';

/** Frame, navigation, palette and what every page shares. */
export const shell = {
  product: 'Personal Data Account',
  pageTitle: (page: string, name: string) => (name === '' ? page : `${page} · ${name}`),
  skip: 'Skip to content',
  nav: { label: 'Pages', home: 'Home', data: 'Data', settings: 'Settings', more: 'More', close: 'Close' },
  account: {
    label: (name: string) => `${name}: appearance and signing out`,
    appearance: 'Appearance',
    light: 'Light',
    dark: 'Dark',
    system: 'Same as this device',
    signOut: 'Sign out',
  },
  search: 'Go to…',
  searchShort: 'Search',
  searchKeys: 'Ctrl K',
  searchKeysApple: '⌘ K',
  offline: 'Your PDA does not answer. What you see is from before; this page goes on trying.',
  palette: {
    label: 'Go to a page, an endpoint or an action',
    placeholder: 'Go to a page, an endpoint or an action',
    nothing: 'Nothing by that name.',
    pages: 'Pages',
    endpoints: 'Endpoints',
    actions: 'Actions',
    importFile: 'Import a file',
    addRecord: 'Add a record',
    recentlyDeleted: 'Recently deleted',
    imports: 'Imports',
    security: 'Security settings',
    api: 'API documentation',
    about: 'About this PDA',
    switchLight: 'Switch to light',
    switchDark: 'Switch to dark',
    signOut: 'Sign out',
  },
  loading: 'Loading…',
  retry: 'Try again',
  close: 'Close',
  cancel: 'Cancel',
  back: 'Back',
  copy: 'Copy',
  copied: 'Copied',
  showPassword: 'Show or hide the password',
  copyRequestId: 'Copy the request id',
  requestId: 'Request',
  notFound: {
    title: 'There is nothing at this address',
    text: 'It may have been a page of an earlier version, or the address is incomplete.',
    home: 'Go to Home',
  },
  crash: {
    title: 'This page stopped working',
    text: 'Your data is untouched. Loading the page again usually helps.',
    reload: 'Load the page again',
  },
  problem: {
    title: 'This could not be loaded',
    notDone: 'This could not be done',
    unreachable: 'Your PDA does not answer. Nothing was changed. Check that it is running, then try again.',
    unreadable: 'Something between this page and your PDA gave an answer that could not be read. Nothing was changed.',
    internal: 'Your PDA ran into a fault of its own. It has noted what happened under the request number below.',
    rateLimited: (seconds: number | undefined) =>
      seconds === undefined
        ? 'Too many tries in a short time. Wait a moment, then try again.'
        : `Too many tries in a short time. Try again in ${count(Math.ceil(seconds), 'second', 'seconds')}.`,
    outOfDisk:
      'The disk of your PDA is full. What was there before is kept; nothing new can be stored until there is space.',
  },
} as const;

import { count } from '../../../shared/format/format.ts';

export const login = {
  windowTitle: (application: string) => (application === '' ? 'Sign in' : `Sign in to ${application}`),
  yourPda: (name: string) => `Your PDA ${name}`,
  signIn: {
    title: (pda: string, application: string) => {
      const target = pda === '' ? 'your PDA' : pda;
      return application === '' ? `Sign in to ${target}` : `Sign in to ${target} to continue to ${application}`;
    },
    ownPda: 'This page comes from your own PDA. Your password is sent only to it.',
    submit: 'Sign in and continue',
  },
  notSetUp: {
    text: 'Set it up first with the one-time address that it printed when it started. Then sign in from the application again.',
  },
  consent: {
    title: (application: string) => `Connect ${application}?`,
    titleAgain: (application: string) => `Connect ${application} again?`,
    titleUpdate: (application: string) => `${application} asks again`,
    text: (application: string) =>
      `${application} asks you to sign in with your PDA. The application would receive only the rights and data listed here.`,
    textAgain: (application: string) =>
      `You stopped ${application}, and it has no access now. This is what it would get from now on.`,
    textEnded: (application: string) =>
      `The Data Debit that ${application} needs is no longer active. This is what it would get from now on.`,
    textUpdate: (before: string, now: string) =>
      `You allowed version ${before}. Version ${now} needs your approval. Until you decide, the permissions of the application stay unchanged.`,
    howLong: 'How long',
    developerText: 'The developer wrote the name, picture and purpose. Your PDA controls what the application gets.',
    more: 'New: it would also be allowed to',
    same: 'As before, it would be allowed to',
    less: 'No longer',
    nothingByKey: 'Nothing with its own key. It only gets the data listed below.',
    nothing: 'No access to your data. It learns the address of your PDA and that you own it.',
    ownerMeans: 'All your current and future records. It cannot approve requests in your name.',
    until: (until: string) =>
      `The shared data until ${until}, the rest until you stop the application, which you can do at any time.`,
    untilStopped: 'Until you stop the application. You can do that at any time, with immediate effect.',
    everythingExcluded: 'You left out all data. The application cannot be connected without any of it.',
    privateDataText: (endpoints: number, records: number) =>
      `${count(endpoints, 'endpoint', 'endpoints')} with ${count(records, 'record', 'records')} that it could not read.`,
    privateDataNone: 'None of your records. It could read all of them.',
    privateDataEmpty: 'You have no other records yet.',
    privateDataOther: 'It has no access to files of other sources, your password or your other consents.',
    returnsTo: 'You return to',
    returnsText: 'The application gets its own key to your PDA. Every request with this key is in your access history.',
    notEncrypted:
      'The connection to this address is not encrypted. Others on the network can read the key of the application and use it.',
    allow: (application: string) => `Allow and continue to ${application}`,
    cancelText: 'Nothing is allowed, and the application is notified that you cancelled.',
    changed: 'The request changed while you were reading',
  },
  returning: {
    title: (application: string) => `Returning to ${application}`,
    cancelled: (application: string) => `Returning to ${application} without signing in`,
    nothing: 'Not redirected?',
    go: (application: string) => `Go to ${application}`,
  },
  failed: {
    titleHere: 'Sign-in is not available at the moment',
    title: (application: string) => `You are not signed in to ${application}`,
    back: (application: string) => `Return to ${application}`,
  },
  refused: {
    unregisteredTitle: (application: string) => `This address does not belong to ${application}`,
    unregistered: (application: string) =>
      `The sign-in would have sent you to an address that ${application} has not registered. No access was granted, and nothing was sent there. This may be a mistake by its developer, or an attempt to get access in your name.`,
    unregisteredAdvice:
      'If you came here from a link in a message, do not use that link again. This attempt is in your access history.',
    leadsTo: 'It leads to',
    requestedAddress: 'Requested return address',
    registered: (application: string) => `Registered addresses of ${application}`,
    none: 'None.',
    noRedirectTitle: (application: string) => `${application} provides no return address`,
    noRedirect: 'The link that brought you here contains no return address. You were not signed in.',
    noApplicationTitle: 'No application specified',
    noApplication: 'The link that brought you here may be incomplete. You were not signed in.',
    unknownTitle: 'Unknown application',
    unknown: 'No application with this name can be connected to your PDA. You were not signed in.',
    unknownName: 'Requested name',
    otherTitle: 'Sign-in failed',
    home: 'Go to your PDA',
    code: 'For the developer:',
  },
} as const;

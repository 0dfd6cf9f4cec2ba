import { count } from '../../../shared/format/format.ts';

/** Signing in to an application: the pages of the owner's own PDA on the way there and back. */
export const login = {
  windowTitle: (application: string) => (application === '' ? 'Sign in' : `Sign in to ${application}`),
  yourPda: (name: string) => `Your PDA ${name}`,
  signIn: {
    title: (pda: string, application: string) => {
      const to = pda === '' ? 'your PDA' : pda;
      return application === '' ? `Sign in to ${to}` : `Sign in to ${to} to continue to ${application}`;
    },
    here: 'This page comes from your own PDA. Your password goes there and nowhere else.',
    submit: 'Sign in and continue',
  },
  notSetUp: {
    title: 'This PDA is not set up yet',
    text: 'Nobody can sign in to an application with it. Set it up first, with the one-time address that it printed when it started. Then come back from the application.',
  },
  consent: {
    title: (application: string) => `Connect ${application}?`,
    titleAgain: (application: string) => `Connect ${application} again?`,
    titleUpdate: (application: string) => `${application} asks again`,
    text: (application: string) => `${application} wants you to sign in with your PDA. This is all that it would get.`,
    textAgain: (application: string) =>
      `You stopped ${application}. It reaches nothing now. This is what it would get from now on.`,
    textEnded: (application: string) =>
      `The Data Debit that ${application} needs does not run any more. This is what it would get from now on.`,
    textUpdate: (before: string, now: string) =>
      `You allowed version ${before}. Version ${now} needs your approval. Until you decide, what you allowed stays as it is.`,
    who: 'Made by',
    howLong: 'How long',
    version: (version: string) => `version ${version}`,
    ownWords: 'Its name, picture and purpose are its own words. What it gets is checked by your PDA.',
    purpose: 'What for',
    rights: 'It would be allowed to',
    more: 'New: it would also be allowed to',
    same: 'As before, it would be allowed to',
    less: 'No longer',
    nothingByKey: 'Nothing by its own key. It only gets what is named below.',
    nothing: 'Nothing with what you keep here. It learns the address of your PDA, and that you are its owner.',
    ownerMeans: 'Everything that you keep here and everything to come. It cannot agree to requests in your name.',
    dataChanges: 'What changes in what leaves',
    until: (until: string) => `What leaves, until ${until}. The rest until you stop it, which you can do at any time.`,
    untilStopped: 'Until you stop it. You can do that at any time, and it ends at once.',
    nothingLeft: 'You have left out all that would leave. It cannot be connected without any of it.',
    home: 'What stays home',
    homeText: (endpoints: number, records: number) =>
      `${count(endpoints, 'endpoint', 'endpoints')} with ${count(records, 'record', 'records')} that it would not reach.`,
    homeNone: 'Nothing. It would reach all that is here.',
    homeEmpty: 'There is nothing here yet that it would not reach.',
    homeOther: 'Files of other sources, your password and your other consents stay out of its reach too.',
    terms: 'Terms',
    privacy: 'Privacy policy',
    noTerms: 'It names no terms.',
    returnsTo: 'You go back to',
    returnsText: 'With a key of its own for your PDA. Each call that is made with it is in your access history.',
    notEncrypted:
      'This address is not encrypted. Whoever carries the connection can read the key that lets it in, and use it.',
    allow: (application: string) => `Allow and continue to ${application}`,
    cancel: 'Cancel',
    cancelText: 'Nothing is allowed, and the application is told that you did not want to.',
    lookFirst: 'Look at it once more first.',
    changed: 'What it asks for has changed while you looked',
    changedText: 'You see it as it is now. Nothing was allowed.',
    notDone: 'This could not be done',
  },
  returning: {
    title: (application: string) => `Going back to ${application}`,
    cancelled: (application: string) => `Going back to ${application} without signing in`,
    nothing: 'Does nothing happen?',
    go: (application: string) => `Go to ${application}`,
  },
  failed: {
    titleHere: 'Signing in does not work at the moment',
    title: (application: string) => `You are not signed in to ${application}`,
    back: (application: string) => `Go back to ${application}`,
  },
  refused: {
    unregisteredTitle: (application: string) => `This address does not belong to ${application}`,
    unregistered: (application: string) =>
      `You were to be sent to an address that ${application} has not registered. Nobody was let in, and nothing was sent there. It may be a mistake of its maker, or somebody wants to get in as you.`,
    unregisteredAdvice:
      'If you came here from a link in a message, do not use that link again. This try is in your access history.',
    leadsTo: 'It leads to',
    wanted: 'Where you were to be sent',
    registered: (application: string) => `Addresses that ${application} has registered`,
    none: 'None.',
    noRedirectTitle: (application: string) => `${application} does not say where to go back to`,
    noRedirect: 'The address that brought you here names no place to return to. You were not signed in.',
    noApplicationTitle: 'No application is named',
    noApplication: 'The address that brought you here may be incomplete. You were not signed in anywhere.',
    unknownTitle: 'This application is not known here',
    unknown: 'No application by this name can be connected to your PDA. You were not signed in anywhere.',
    unknownName: 'The name that was given',
    otherTitle: 'This does not work',
    home: 'Go to your PDA',
    code: 'For its maker:',
  },
} as const;

import type { Language } from '../../server/wire/language.ts';

/** All texts of the app that the owner sees. Texts with numbers or names are functions. */

const OWN: { readonly language: Language } = { language: 'en' };
const numbers = new Intl.NumberFormat('en-GB');
const number = (value: number): string => numbers.format(value);
const seconds = (milliseconds: number): string => {
  const whole = Math.max(1, Math.round(milliseconds / 1000));
  return whole === 1 ? '1 second' : `${number(whole)} seconds`;
};
const megabytes = (bytes: number): string => `${number(Math.ceil(bytes / 1_000_000))} MB`;

const KEPT = 'Everything that was saved is still there. Nobody can reach your data until the server runs again.';

export const en = {
  ...OWN,
  /** Quotes text of a third party. */
  quoted: (words: string): string => `“${words}”`,

  tray: {
    tooltip: (words: string): string => `Personal Data Account: ${words}`,
    running: 'Running on this computer',
    requests: (count: number): string => (count === 1 ? '1 request waiting' : `${number(count)} requests waiting`),
    backup: {
      never: 'No backup has worked yet',
      old: 'The newest backup is older than it should be',
      damaged: 'The newest backup is not as it should be',
    },
    exposure: {
      off: 'Private: reached from this computer only',
      dark: 'Dark: nobody from outside is let in',
      public: (host: string): string => `Public at ${host}`,
      readable: (host: string, reader: string): string => `Readable by ${reader}: public at ${host}`,
      otherName: (reader: string): string => `Offline: ${reader} does not give this PDA its name`,
      connecting: (host: string): string => `Offline: on the way to ${host}`,
      certificate: (host: string): string => `Offline: waiting for the certificate of ${host}`,
      unreachable: (host: string): string => `Offline: nobody reaches ${host}`,
      refused: (host: string): string => `Offline: the relay does not give ${host} to this PDA`,
      impostor: (host: string): string => `Closed: somebody else answers at ${host}`,
    },
    functionsPaused: 'Functions paused',
    stopped: 'Stopped',
    starting: 'Starting',
    stopping: 'Stopping',
    waiting: (reason: string, milliseconds: number): string =>
      `The server stopped: ${reason}. Starting again in ${seconds(milliseconds)}`,
    failed: (reason: string): string => `The server stopped: ${reason}`,
    stoppedForUpdate: (version: string): string => `Stopped for the update to version ${version}`,
    lookingForUpdates: 'Looking for updates',
    loadingUpdate: (version: string): string => `Loading version ${version}`,
    installingUpdate: (version: string): string => `Installing version ${version}`,
  },

  commands: {
    open: 'Open',
    requests: 'Look at the requests',
    backups: 'Look at the backups',
    goDark: 'Go dark',
    goLight: 'Let others in from outside again',
    pauseFunctions: 'Pause functions',
    resumeFunctions: 'Resume functions',
    launchAtLogin: 'Start when I log in',
    tryAgain: 'Start the server now',
    checkForUpdates: 'Check for updates…',
    installUpdate: (version: string): string => `Install version ${version}…`,
    quit: 'Quit',
    notDone: 'This was not done',
    notChanged: 'This was not changed',
  },

  /** Menu of the app. Electron's default names are English. */
  menu: {
    file: 'File',
    requests: 'Requests',
    edit: 'Edit',
    view: 'View',
    speech: 'Speech',
    window: 'Window',
    roles: {
      about: 'About Personal Data Account',
      services: 'Services',
      hide: 'Hide Personal Data Account',
      hideOthers: 'Hide Others',
      unhide: 'Show All',
      quit: 'Quit Personal Data Account',
      close: 'Close Window',
      undo: 'Undo',
      redo: 'Redo',
      cut: 'Cut',
      copy: 'Copy',
      paste: 'Paste',
      pasteAndMatchStyle: 'Paste and Match Style',
      delete: 'Delete',
      selectAll: 'Select All',
      startSpeaking: 'Start Speaking',
      stopSpeaking: 'Stop Speaking',
      reload: 'Reload',
      resetZoom: 'Actual Size',
      zoomIn: 'Zoom In',
      zoomOut: 'Zoom Out',
      togglefullscreen: 'Toggle Full Screen',
      toggleDevTools: 'Toggle Developer Tools',
      minimize: 'Minimize',
      zoom: 'Zoom',
      front: 'Bring All to Front',
    },
  },

  notification: {
    deny: 'Deny',
    approve: 'Approve',
    look: 'Look',
    many: (count: number): string => `${number(count)} requests for your data`,
    from: (names: string, more: boolean): string =>
      `From ${names}${more ? ' and others' : ''}. Nothing leaves before you decide.`,
    renewed: (count: number): string => `${number(count)} permissions have renewed`,
    renewedText: 'As you agreed, they go on until you stop them.',
    notApproved: 'Not approved',
    notDenied: 'Not denied',
  },

  /** Why a command of the owner failed. */
  order: {
    gone: 'Your PDA is not running. Nothing was changed.',
    lost: 'Your PDA stopped before it answered. Look whether it was done.',
    silent: 'Your PDA did not answer in time. Look whether it was done.',
    /** The server's message and its error code. */
    refused: (_code: string | undefined, words: string): string => words,
  },

  /** Complete the sentence "The server stopped: …". */
  ending: {
    byItself: 'it ended by itself',
    code: (code: number): string => `it ended with exit code ${code}`,
    killed: (signal: string): string => `it was ended by ${signal}`,
    notStarted: (message: string): string => `it could not be started (${message})`,
    notWithin: (milliseconds: number): string => `it did not answer within ${seconds(milliseconds)}`,
    silent: (times: number): string => `it did not answer ${times} times in a row`,
    updateStuck: 'the update did not come to an end',
    updateStuckBecause: (why: string): string => `the update did not come to an end (${why})`,
  },

  home: {
    away: (home: string): string => `Your PDA is in the folder ${home}, and it is not there now`,
    /** The server's message about a home that it cannot open, by kind; without a full stop. */
    cannotStart: (_kind: string, words: string): string => words,
  },

  failure: {
    starting: 'Your PDA is starting',
    startingText: 'This takes a moment, and after an update of the app a few minutes.',
    notRunning: 'Your PDA is not running',
    kept: KEPT,
    stopped: 'Your PDA stopped',
    stoppedText: (reason: string): string => `The server stopped: ${reason}. ${KEPT}`,
    again: (milliseconds: number): string => `It is started again in ${seconds(milliseconds)}.`,
    todo: {
      in_use:
        'It may have been started from a command line on this computer. Nothing was changed. Stop it there, and start it here again.',
      unusable: 'If it is on an external disk, connect the disk first. Nothing was changed.',
      newer: 'Update this app. Nothing was changed.',
      damaged: 'Restore a backup. Nothing was changed.',
    },
    lastWords: 'Its last words:',
  },

  updates: {
    noPlace: 'This version does not know any place that updates come from.',
    byHand: (version: string): string =>
      `You have version ${version}. A newer one is installed over it by hand; your data stays where it is.`,
    notYet: 'No update can be looked for now',
    notYetText: 'Your PDA has to have started first. Try it again when it runs.',
    newest: 'You have the newest version',
    newestText: (version: string): string => `This is version ${version}.`,
    found: (version: string): string => `Version ${version} is there`,
    foundText: (version: string): string =>
      `You have version ${version}. It is loaded now, and you are asked again before it is installed.`,
    load: 'Load',
    notNow: 'Not now',
    install: (version: string): string => `Install version ${version} now?`,
    installText:
      'Your PDA stops for a minute or two; meanwhile nobody can reach it. A copy of your data is made first. If the new version does not work, your PDA goes back to this one by itself.',
    installYes: 'Install',
    later: 'Later',
    notLooked: 'No newer version could be looked for',
    notLoaded: (version: string): string => `Version ${version} could not be loaded`,
    notInstalled: (version: string): string => `Version ${version} was not installed`,
    notInstalledText: 'Your PDA is as it was. You can try the update again.',
    failedText: (why: string): string => `${why}\nYour PDA is as it was.`,
    noRoom: (wanted: number, free: number): string =>
      `There is not enough room on the disk: ${megabytes(wanted)} are needed for the copy and ${megabytes(free)} are free.`,
    notStopped: 'the server did not stop in order',
    /** Why a new server counts as unhealthy. */
    begunTwice: 'it was begun twice and did not come so far as to answer',
    notWell: (status: number): string => `it says that it is not well (${status})`,
    silent: 'it did not answer',
    wentBack: (from: string): string => `Your PDA went back to version ${from}`,
    /** @param database message of the previous server about the database */
    wentBackText: (from: string, to: string, reason: string, database: string): string =>
      `The server of version ${to} did not become healthy: ${reason}. The server of version ${from} runs again, and ${database}. Nothing was deleted. Version ${to} is not offered again.`,
    notBackText: (from: string, to: string, reason: string, why: string): string =>
      `The server of version ${to} did not become healthy: ${reason}. Going back to version ${from} failed: ${why}. Your data is in its folder, and a copy from before the update is in the folder "backups" in it. It is tried again at the next start.`,
    updated: (to: string): string => `Your PDA was updated to version ${to}`,
    updatedText: (from: string): string =>
      `It was version ${from}. A copy of the database from before is in the folder "backups" of your PDA.`,
  },

  vault: {
    noKeyring:
      'This computer has no keyring that is set up (GNOME Keyring or KWallet). Without one a secret would be kept under a password that everybody knows, so it is not kept at all.',
    notReady: 'The keyring of this computer cannot be used now. It may be locked.',
  },
};

/** The texts that each language must provide. */
export type Texts = typeof en;

import type { Language } from '../../server/wire/language.ts';

// All texts that the app displays. Texts with numbers or names are functions.

/** Typed separately, so that translations can have a different value. */
const LANGUAGE: { readonly language: Language } = { language: 'en' };
const numberFormat = new Intl.NumberFormat('en-GB');
const formatNumber = (value: number): string => numberFormat.format(value);
const formatSeconds = (milliseconds: number): string => {
  const count = Math.max(1, Math.round(milliseconds / 1000));
  return count === 1 ? '1 second' : `${formatNumber(count)} seconds`;
};
const formatMegabytes = (bytes: number): string => `${formatNumber(Math.ceil(bytes / 1_000_000))} MB`;

const DATA_IS_SAFE = 'All saved data is safe. Your data is unreachable until the server runs again.';

export const en = {
  ...LANGUAGE,
  quoted: (text: string): string => `“${text}”`,

  tray: {
    tooltip: (text: string): string => `Personal Data Account: ${text}`,
    running: 'Running on this computer',
    requests: (count: number): string =>
      count === 1 ? '1 request waiting' : `${formatNumber(count)} requests waiting`,
    backup: {
      never: 'No successful backup yet',
      old: 'A backup is overdue',
      damaged: 'The latest backup is damaged',
    },
    exposure: {
      off: 'Private: reachable only from this computer',
      dark: 'Dark: not reachable from outside',
      public: (host: string): string => `Public at ${host}`,
      readable: (host: string, reader: string): string => `Readable by ${reader}: public at ${host}`,
      nameRefused: (reader: string): string => `Offline: ${reader} refused the name of this PDA`,
      connecting: (host: string): string => `Offline: connecting to ${host}`,
      certificate: (host: string): string => `Offline: waiting for the certificate of ${host}`,
      unreachable: (host: string): string => `Offline: ${host} is not reachable`,
      refused: (host: string): string => `Offline: the relay refused the name ${host}`,
      impostor: (host: string): string => `Closed: another server answers at ${host}`,
    },
    functionsPaused: 'Functions paused',
    stopped: 'Stopped',
    starting: 'Starting',
    stopping: 'Stopping',
    waiting: (reason: string, milliseconds: number): string =>
      `The server stopped: ${reason}. Restarting in ${formatSeconds(milliseconds)}`,
    failed: (reason: string): string => `The server is not running: ${reason}`,
    stoppedForUpdate: (version: string): string => `Stopped for the update to version ${version}`,
    checkingForUpdates: 'Checking for updates',
    downloadingUpdate: (version: string): string => `Downloading version ${version}`,
    installingUpdate: (version: string): string => `Installing version ${version}`,
  },

  commands: {
    open: 'Open',
    requests: 'View requests',
    backups: 'View backups',
    goDark: 'Go dark',
    reopenAddress: 'Accept visitors again',
    pauseFunctions: 'Pause functions',
    resumeFunctions: 'Resume functions',
    launchAtLogin: 'Start when I log in',
    tryAgain: 'Start server now',
    checkForUpdates: 'Check for updates…',
    installUpdate: (version: string): string => `Install version ${version}…`,
    quit: 'Quit',
    notDone: 'The command failed',
    notChanged: 'Nothing was changed',
  },

  /** Electron's default labels are English only. */
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
    view: 'View',
    groupTitle: (count: number): string => `${formatNumber(count)} requests for your data`,
    groupBody: (names: string, hasMore: boolean): string =>
      `From ${names}${hasMore ? ' and others' : ''}. Nothing is shared before you decide.`,
    renewed: (count: number): string => `${formatNumber(count)} permissions were renewed`,
    renewedText: 'You agreed to automatic renewal. You can end each permission at any time.',
    notApproved: 'Not approved',
    notDenied: 'Not denied',
  },

  commandErrors: {
    notRunning: 'Your PDA is not running. Nothing was changed.',
    stopped: 'Your PDA stopped before it responded. Check whether the command took effect.',
    timedOut: 'Your PDA did not respond in time. Check whether the command took effect.',
    refused: (_code: string | undefined, text: string): string => text,
  },

  /** Each completes the sentences "The server stopped: …" and "The server is not running: …". */
  exitReasons: {
    exited: 'it exited',
    code: (code: number): string => `it exited with code ${code}`,
    killed: (signal: string): string => `it was killed by ${signal}`,
    notStarted: (message: string): string => `it could not be started (${message})`,
    startTimedOut: (milliseconds: number): string => `it did not respond within ${formatSeconds(milliseconds)}`,
    unresponsive: (times: number): string => `it failed to respond ${times} times in a row`,
    updateUnfinished: 'the update did not finish',
    updateUnfinishedBecause: (why: string): string => `the update did not finish (${why})`,
  },

  home: {
    unavailable: (home: string): string => `The folder of your PDA, ${home}, is not available`,
    /** @param _kind kind of the problem @param text the server's English message, without a full stop */
    cannotStart: (_kind: string, text: string): string => text,
  },

  failure: {
    starting: 'Your PDA is starting',
    startingText: 'This takes a moment, or a few minutes after an update.',
    notRunning: 'Your PDA is not running',
    dataIsSafe: DATA_IS_SAFE,
    stopped: 'Your PDA stopped',
    stoppedText: (reason: string): string => `The server is not running: ${reason}. ${DATA_IS_SAFE}`,
    restartsIn: (milliseconds: number): string => `The server restarts in ${formatSeconds(milliseconds)}.`,
    remedies: {
      in_use:
        'It may be running from a command line on this computer. Nothing was changed. Stop it there, then start it here.',
      unusable: 'If it is on an external disk, connect the disk first. Nothing was changed.',
      newer: 'Update this app. Nothing was changed.',
      damaged: 'Restore a backup. Nothing was changed.',
    },
    lastOutput: 'Last output:',
  },

  updates: {
    noSource: 'This version has no update source.',
    manualInstallation: (version: string): string =>
      `You have version ${version}. Install a newer version manually over this one; your data stays in its folder.`,
    serverNotStarted: 'Cannot check for updates now',
    serverNotStartedText: 'Your PDA has not started yet. Try again when it is running.',
    upToDate: 'You have the latest version',
    upToDateText: (version: string): string => `This is version ${version}.`,
    available: (version: string): string => `Version ${version} is available`,
    availableText: (version: string): string =>
      `You have version ${version}. After the download, you will be asked again before the update is installed.`,
    download: 'Download',
    notNow: 'Not now',
    install: (version: string): string => `Install version ${version} now?`,
    installText:
      'Your PDA stops for a minute or two and is not reachable during that time. It makes a copy of the database first. If the new version does not work, your PDA returns to this version automatically.',
    installButton: 'Install',
    later: 'Later',
    checkFailed: 'The check for updates failed',
    downloadFailed: (version: string): string => `Version ${version} could not be downloaded`,
    notInstalled: (version: string): string => `Version ${version} was not installed`,
    notInstalledText: 'Your PDA is unchanged. You can try the update again.',
    failedText: (why: string): string => `${why}\nYour PDA is unchanged.`,
    notEnoughSpace: (requiredBytes: number, freeBytes: number): string =>
      `Not enough disk space: the update needs ${formatMegabytes(requiredBytes)}, but only ${formatMegabytes(freeBytes)} is free.`,
    notStopped: 'The server did not shut down cleanly.',
    /** Reasons why a new server counts as unhealthy: `testInterrupted`, `unhealthy`, `didNotRespond`. */
    testInterrupted: 'the app or the computer stopped during its second test',
    unhealthy: (status: number): string => `its health check failed (${status})`,
    didNotRespond: 'it did not respond',
    rolledBack: (from: string): string => `Your PDA went back to version ${from}`,
    rolledBackText: (from: string, to: string, reason: string, database: string): string =>
      `The server of version ${to} did not become healthy: ${reason}. The server of version ${from} is running again and reports: ${database}. Nothing was deleted. Version ${to} will not be offered again.`,
    rollbackFailedText: (from: string, to: string, reason: string, why: string): string =>
      `The server of version ${to} did not become healthy: ${reason}. Going back to version ${from} failed: ${why}. Your data is in its folder. A copy from before the update is in the subfolder "backups". The next start will try again.`,
    updated: (to: string): string => `Your PDA was updated to version ${to}`,
    updatedText: (from: string): string =>
      `The previous version was ${from}. A copy of the database from before the update is in the folder "backups" of your PDA.`,
  },

  vault: {
    noKeyring:
      'No keyring is set up on this computer (GNOME Keyring or KWallet). Without one, a secret would be protected only by a publicly known password, so it is not stored.',
    notReady: 'The keyring of this computer is not available. It may be locked.',
  },
};

export type Texts = typeof en;

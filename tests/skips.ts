import type { SkipRule } from '../build/test-reports.ts';

/**
 * Tests that `npm test` may skip because the machine lacks what they need. A test that is skipped and named neither here nor in `LEFT_OUT` fails
 * the run. Titles are `file › describe › test`.
 */
export const SKIPS: readonly SkipRule[] = [
  {
    title:
      /^server\/exchange\/accounts\/accounts\.test\.ts › accounts of the exchange, on PGlite › .* › is valid at another process /u,
    reason: 'several processes on one database: a PGlite folder is for one process',
  },
  {
    title:
      /^tests\/disk-full\.test\.ts |^tests\/backup-targets\.test\.ts › a separate disk |^tests\/desktop-faults\.test\.ts /u,
    reason: 'full and removed disks: this account may not mount a tmpfs',
  },
  {
    title: /^tests\/faults\.test\.ts |^tests\/synced-writes\.test\.ts /u,
    reason: 'failing and missing system calls: strace is missing or may not trace',
  },
  {
    title: /^tests\/functions-elsewhere\.test\.ts › a function in another language /u,
    reason: 'functions in another language: Perl is missing',
  },
  {
    title: /^tests\/outside\.test\.ts /u,
    reason: 'a visitor in another network: needs unshare, ip and perl, and the right to make a network namespace',
  },
  {
    title: /^server\/pda\/storage\/database\.test\.ts › a home without permissions for the user /u,
    reason: 'a home of another account: only root can make one',
  },
  {
    title:
      /^server\/pda\/files\/folder\/special-files\.test\.ts › .* › registers other files while one is not readable/u,
    reason: 'a file that may not be read: root may read every file',
  },
  {
    title: /^server\/pda\/functions\/sandbox\/memory-cap\.test\.ts /u,
    reason: 'a function with 3008 MB: less than 7 GB of memory are free',
  },
  {
    title: /^tests\/browser\/desktop-app\.spec\.ts /u,
    reason: 'the desktop app: the Electron binary is missing',
  },
  {
    title:
      /^server\/pda\/storage\/home\/folder\.test\.ts › the modes of the files |^server\/pda\/functions\/sandbox\/confinement\.test\.ts |^build\/start\.test\.ts › npm start with an app window /u,
    reason: 'file modes, sandbox wrappers and signals: not on Windows',
  },
  {
    title:
      /^server\/pda\/account\/transfer\/import\/state\.test\.ts › on a full disk |^tests\/(?:hostile-reads|importers-worst)\.test\.ts |^build\/installers\.test\.ts › electron-builder\.yml /u,
    reason: '/proc, /dev/full and the installers of Linux: only on Linux',
  },
];

/** Tests that only `npm run test:long` runs, with PDA_THOROUGH=1 unless the reason says otherwise. */
export const LEFT_OUT: readonly SkipRule[] = [
  {
    title: /^tests\/browser\/languages\.spec\.ts › every page (?:by eye and by tree: en, part \d|by keyboard: en)$/u,
    reason: 'every page in English: all other browser tests are in English, the walk in German covers the same pages',
  },
  {
    title:
      /^tests\/browser\/offers\.spec\.ts › (?:an Offer of a real exchange|a contract is joined at a real service)/u,
    reason:
      'an Offer and a contract of real services, by keyboard: network-story.spec does the same by mouse; a minute',
  },
  {
    title: /^tests\/browser\/pictures\.spec\.ts /u,
    reason: 'pictures of the guide: npm run pictures takes them',
  },
  {
    title: /^server\/pda\/functions\/sandbox\/(?:attacks|resource-exhaustion|escape)\.test\.ts /u,
    reason:
      'attacks on the sandbox, each alone: variants of attacks that run here, most of them together in one sandbox',
  },
  {
    title: /^tests\/(?:hostile-reads|importers-worst)\.test\.ts /u,
    reason: 'reads over hostile records and hostile imports: minutes, and their bound of 250 ms needs an idle machine',
  },
  {
    title:
      /^tests\/backup-targets\.test\.ts › (?:a separate disk .* › reports a read-only mount|a disk › (?:removed midway|slows down only backups|reports progress during slow writes) )|^tests\/backup-aside\.test\.ts /u,
    reason: 'backups to slow, read-only and removed disks: they wait for minutes',
  },
  {
    title: /^tests\/desktop-updates\.test\.ts › the new version /u,
    reason: 'updates of the desktop app that fail twice or in rare ways: each starts several servers',
  },
  {
    title: /^server\/pda\/functions\/sandbox\/memory-cap\.test\.ts › a function that asks for 3008 MB /u,
    reason: 'a function with 3008 MB: takes the memory from the tests beside it',
  },
  {
    title: /^tests\/move-large\.test\.ts /u,
    reason: 'a file of 5 GB that moves with the account: minutes and 15 GB of disk',
  },
];

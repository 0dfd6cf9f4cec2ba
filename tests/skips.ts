import type { SkipRule } from '../build/test-reports.ts';

/**
 * Tests that `npm test` may skip because the machine does not meet their requirements. The run fails if a skipped test
 * is in neither `ALLOWED_SKIPS` nor `OMITTED_TESTS`. Titles are `file › describe › test`.
 */
export const ALLOWED_SKIPS: readonly SkipRule[] = [
  {
    title:
      /^server\/exchange\/accounts\/accounts\.test\.ts › accounts of the exchange, on PGlite › .* › is valid in another process /u,
    reason: 'several processes on one database: only one process can open a PGlite folder',
  },
  {
    title: /^tests\/disk-full\.test\.ts |^tests\/desktop-faults\.test\.ts /u,
    reason: 'full and removed disks: this system account may not mount a tmpfs',
  },
  {
    title: /^tests\/faults\.test\.ts |^tests\/synced-writes\.test\.ts /u,
    reason: 'failing and missing system calls: strace is missing or may not trace',
  },
  {
    title: /^tests\/functions-remote\.test\.ts › a function in another language /u,
    reason: 'functions in another language: Perl is missing',
  },
  {
    title:
      /^server\/pda\/files\/folder\/special-files\.test\.ts › .* › does not keep other files from being registered/u,
    reason: 'an unreadable file: root can read every file',
  },
  {
    title: /^server\/pda\/functions\/sandbox\/memory-cap\.test\.ts /u,
    reason: 'a function with 3008 MB: less than 7 GB of memory is free',
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
      /^server\/pda\/account\/transfer\/import\/state\.test\.ts › the state of transfers on a full disk |^tests\/(?:hostile-reads|importers-worst)\.test\.ts |^build\/installers\.test\.ts › electron-builder\.yml /u,
    reason: '/proc, /dev/full and Linux installers: only on Linux',
  },
];

/** Files whose tests `npm run test:long -- processes` runs completely. */
export const PROCESS_TEST_FILES: readonly string[] = [
  'main/app-server.test.ts',
  'main/app-updates.test.ts',
  'server/pda/account/backup/routes.test.ts',
  'server/pda/account/desktop/service.test.ts',
  'server/pda/storage/database.test.ts',
  'server/pda/storage/home/folder.test.ts',
  'tests/backup-live.test.ts',
  'tests/backup-records.test.ts',
  'tests/backup-server.test.ts',
  'tests/deletions-killed.test.ts',
  'tests/desktop-bundle.test.ts',
  'tests/desktop-faults.test.ts',
  'tests/durability.test.ts',
  'tests/files-folder.test.ts',
  'tests/functions-durability.test.ts',
  'tests/functions-installed.test.ts',
  'tests/interruptions.test.ts',
  'tests/outside.test.ts',
  'tests/pause-killed.test.ts',
  'tests/statistics-reports.test.ts',
  'tests/tunnel-relay.test.ts',
  'tests/verify-receipt.test.ts',
  'tests/webhooks.test.ts',
];

/** Files whose tests `npm run test:long -- inputs` runs completely. */
export const LARGE_INPUT_TEST_FILES: readonly string[] = [
  'server/pda/data/exports/service.test.ts',
  'server/pda/data/imports/tabular/element-reader.test.ts',
  'server/pda/data/queries/language/json-order.test.ts',
  'server/pda/data/records/deduplication/distinct-writer.test.ts',
  'server/pda/data/records/paging/large-records.test.ts',
  'server/pda/files/pictures/reader.test.ts',
  'server/pda/files/texts/indexer.test.ts',
  'server/pda/sharing/access-log/rules.test.ts',
  'server/pda/sharing/debits/receipts/verification.test.ts',
  'tests/archive-format.test.ts',
  'tests/collections.test.ts',
  'tests/importers-hostile.test.ts',
  'tests/importers-large.test.ts',
  'tests/share-links.test.ts',
  'tests/shared-folders.test.ts',
];

/** Files whose tests `npm run test:long -- slow` runs completely. */
export const SLOW_TEST_FILES: readonly string[] = [
  'main/app.test.ts',
  'renderer/dashboard/pages/data/charts/map/detail/archive.test.ts',
  'server/contracts/members/members.test.ts',
  'server/exchange/accounts/accounts.test.ts',
  'server/exchange/applications/applications.test.ts',
  'server/exchange/offers/claims/credentials.test.ts',
  'server/exchange/offers/claims/service.test.ts',
  'server/exchange/offers/offers.test.ts',
  'server/exchange/offers/races.test.ts',
  'server/exchange/pdas/pdas.test.ts',
  'server/exchange/plugs/plugs.test.ts',
  'server/exchange/statistics/compaction/compactor.test.ts',
  'server/exchange/statistics/idempotence.property.test.ts',
  'server/exchange/statistics/statistics.test.ts',
  'server/network/network.test.ts',
  'server/pda/account/pictures/service.test.ts',
  'server/pda/account/timeline/service.test.ts',
  'server/pda/data/imports/service-options.test.ts',
  'server/pda/data/imports/service.test.ts',
  'server/pda/data/queries/bundles.test.ts',
  'server/pda/data/queries/charts/service.test.ts',
  'server/pda/data/queries/indexes/dropped-index.test.ts',
  'server/pda/data/queries/language/tokenizer.test.ts',
  'server/pda/data/queries/long-read-limit.test.ts',
  'server/pda/data/queries/search/service.test.ts',
  'server/pda/data/queries/service.test.ts',
  'server/pda/data/records/change.test.ts',
  'server/pda/data/records/deduplication/large-records.test.ts',
  'server/pda/data/records/deletions/parts.test.ts',
  'server/pda/files/folder/special-files.test.ts',
  'server/pda/files/folder/startup.test.ts',
  'server/pda/files/folder/sync.test.ts',
  'server/pda/files/pictures/store.test.ts',
  'server/pda/files/texts/search.test.ts',
  'server/pda/functions/attacks.test.ts',
  'server/pda/functions/remote/attacks.test.ts',
  'server/pda/functions/remote/host.test.ts',
  'server/pda/functions/scheduler/attacks.test.ts',
  'server/pda/functions/scheduler/clock-changes.test.ts',
  'server/pda/functions/scheduler/run-loop.test.ts',
  'server/pda/functions/service.test.ts',
  'server/pda/identity/owner/set-up.test.ts',
  'server/pda/identity/owner/sign-in/network-store.test.ts',
  'server/pda/network/address/localtunnel/client.test.ts',
  'server/pda/sharing/access-log/entries/grouping.test.ts',
  'server/pda/sharing/access-log/entries/row-size.test.ts',
  'server/pda/sharing/access-log/recording/streamed-responses.test.ts',
  'server/pda/sharing/applications/status/service-checks.test.ts',
  'server/pda/sharing/debits/lifecycle/change.test.ts',
  'server/pda/sharing/debits/lifecycle/notifier.test.ts',
  'server/pda/sharing/debits/lifecycle/proposal-limits.test.ts',
  'server/pda/sharing/debits/lifecycle/revocation.test.ts',
  'server/pda/sharing/debits/values/reader-limits.test.ts',
  'server/pda/sharing/debits/values/reader.test.ts',
  'server/pda/storage/threads/client.test.ts',
  'server/platform/json/body.test.ts',
  'server/platform/postgres/database.test.ts',
  'tests/access-matrix.test.ts',
  'tests/backup-archive.test.ts',
  'tests/certificates-issue.test.ts',
  'tests/commands.test.ts',
  'tests/data-sets.test.ts',
  'tests/disk-full.test.ts',
  'tests/docs-operate.test.ts',
  'tests/docs.test.ts',
  'tests/erasure-canaries.test.ts',
  'tests/erasure-process.test.ts',
  'tests/exchange-failures.test.ts',
  'tests/files-access-log.test.ts',
  'tests/files-archive-downloads.test.ts',
  'tests/files-hostile.test.ts',
  'tests/guest-downloads.test.ts',
  'tests/headers.test.ts',
  'tests/importers-hanging.test.ts',
  'tests/importers-killed.test.ts',
  'tests/importers-run.test.ts',
  'tests/keys-killed.test.ts',
  'tests/ledger-durability.test.ts',
  'tests/move-hostile.test.ts',
  'tests/move.test.ts',
  'tests/network-pda-accounts.test.ts',
  'tests/network-sandbox.test.ts',
  'tests/real-data.test.ts',
  'tests/record-moves-killed.test.ts',
  'tests/record-moves.test.ts',
  'tests/refused-bodies.test.ts',
  'tests/relay-forwarding.test.ts',
  'tests/relay-process.test.ts',
  'tests/second-factor-process.test.ts',
  'tests/shared-views.test.ts',
  'tests/tunnel-localtunnel.test.ts',
  'tests/tunnel-tls.test.ts',
];

/** Returns the pattern of the titles of all tests in these files. */
const titlesIn = (files: readonly string[]): RegExp =>
  new RegExp(`^(?:${files.join('|').replaceAll('.', String.raw`\.`)}) `, 'u');

/** Tests that `npm test` leaves out. `npm run test:long` runs them, except the pictures of the guide. */
export const OMITTED_TESTS: readonly SkipRule[] = [
  {
    title: /^tests\/browser\/(?!desktop-app|pictures)/u,
    reason: 'rarer cases and further pages in the browser (`thoroughTest`): the other tests cover the main paths',
  },
  {
    title: /^tests\/browser\/pictures\.spec\.ts /u,
    reason: 'pictures of the guide: npm run pictures takes them',
  },
  {
    title: titlesIn([...PROCESS_TEST_FILES, 'tests/backup-killed.test.ts', 'tests/contracts-commands.test.ts']),
    reason: 'further cases of killed, restarted and separate processes: each takes 5 to 25 s',
  },
  {
    title: titlesIn(LARGE_INPUT_TEST_FILES),
    reason: 'the memory and time that large inputs need, and inputs that hang a reader: each takes 3 to 33 s',
  },
  {
    title: titlesIn(SLOW_TEST_FILES),
    reason: 'further cases of slow tests: each takes 2 to 50 s, and other tests cover the main path',
  },
  {
    title: /^server\/pda\/functions\/sandbox\/(?:attacks|resource-exhaustion|escape)\.test\.ts /u,
    reason: 'individual attacks on the sandbox: `npm test` runs most of them together in one sandbox',
  },
  {
    title: /^tests\/(?:hostile-reads|importers-worst)\.test\.ts /u,
    reason: 'hostile records and imports: they take minutes, and their limit of 250 ms requires an idle machine',
  },
  {
    title: /^tests\/backup-(?:main-thread|targets)\.test\.ts /u,
    reason: 'backups during other requests, and to slow, read-only and removed disks: each test waits for minutes',
  },
  {
    title: /^tests\/desktop-updates\.test\.ts /u,
    reason: 'rare failures of desktop app updates: each test starts several servers',
  },
  {
    title: /^server\/pda\/functions\/sandbox\/memory-cap\.test\.ts › a function with a memory limit of 3008 MB /u,
    reason: 'a function with 3008 MB: it uses memory that parallel tests need',
  },
  {
    title: /^tests\/move-large\.test\.ts /u,
    reason: 'transfer of a file of 5 GB: it takes minutes and 15 GB of disk space',
  },
];

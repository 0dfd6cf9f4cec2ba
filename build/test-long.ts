import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { LARGE_INPUT_TEST_FILES, PROCESS_TEST_FILES, SLOW_TEST_FILES } from '../tests/skips.ts';

// npm run test:long [-- NAME …]: runs at full length the tests that `npm test` shortens or leaves out, and ten random
// faults of `npm run test:mutants`. Takes hours on an otherwise idle machine. Exits with 1 if a run failed.

const LONG_RUNS: Readonly<Record<string, { files: readonly string[]; env: Readonly<Record<string, string>> }>> = {
  // Kills a server 700 times while it stores records and 300 times while it receives files.
  'kills-records': { files: ['tests/durability.test.ts'], env: { PDA_KILLS: '700' } },
  'kills-files': { files: ['tests/files-durability.test.ts'], env: { PDA_KILLS: '300' } },
  'kills-functions': { files: ['tests/functions-durability.test.ts'], env: { PDA_KILLS: '50' } },
  'kills-erasure': { files: ['tests/erasure-process.test.ts'], env: { PDA_KILLS: '40', PDA_THOROUGH: '1' } },
  // Kills backups and transfers at many of their disk changes, and key rotations at random moments.
  'kills-backups': {
    files: ['tests/backup-killed.test.ts', 'tests/move-hostile.test.ts', 'tests/keys-killed.test.ts'],
    env: { PDA_THOROUGH: '1' },
  },
  // Flips a bit at a hundred or more positions of each file of an archive.
  flips: { files: ['tests/backup-archive.test.ts'], env: { PDA_FLIPS: '100' } },
  'kills-others': {
    files: [
      'tests/deletions-killed.test.ts',
      'tests/files-folder.test.ts',
      'tests/interruptions.test.ts',
      'tests/record-moves-killed.test.ts',
      'tests/webhooks.test.ts',
    ],
    env: { PDA_KILLS: '20', PDA_THOROUGH: '1' },
  },
  // Makes each system call that persists data fail once.
  faults: { files: ['tests/faults.test.ts'], env: { PDA_FAULTS: 'all' } },
  damaged: { files: ['tests/damaged.test.ts'], env: { PDA_DAMAGED: '2000' } },
  requests: { files: ['tests/generated-requests.test.ts'], env: { PDA_REQUESTS: '1000000' } },
  json: { files: ['server/platform/json/text.test.ts'], env: { JSON_RUNS: '100000' } },
  operations: {
    files: ['server/pda/data/records/random-operations.property.test.ts'],
    env: { PDA_OPERATION_RUNS: '1000' },
  },
  // Variants of which `npm test` runs a sample; the network sandbox on PGlite instead of PostgreSQL.
  variants: {
    files: [
      'server/pda/functions/sandbox/attacks.test.ts',
      'server/pda/functions/sandbox/resource-exhaustion.test.ts',
      'server/pda/functions/sandbox/escape.test.ts',
      'tests/access-matrix.test.ts',
      'tests/bodies.test.ts',
      'tests/certificates-issue.test.ts',
      'tests/exchange-matrix.test.ts',
      'tests/functions-remote.test.ts',
      'tests/network-sandbox.test.ts',
      'tests/ssrf.test.ts',
    ],
    env: { PDA_THOROUGH: '1' },
  },
  // Backups during other requests and to slow, read-only and removed disks; rare failures of desktop updates; rejected
  // uploads; large memory caps.
  rare: {
    files: [
      'tests/backup-main-thread.test.ts',
      'tests/backup-targets.test.ts',
      'tests/desktop-updates.test.ts',
      'tests/refused-bodies.test.ts',
      'server/pda/functions/sandbox/memory-cap.test.ts',
    ],
    env: { PDA_THOROUGH: '1' },
  },
  processes: { files: PROCESS_TEST_FILES, env: { PDA_THOROUGH: '1' } },
  // Memory and time needed for large inputs, and inputs that could make a reader hang.
  inputs: { files: LARGE_INPUT_TEST_FILES, env: { PDA_THOROUGH: '1' } },
  slow: { files: SLOW_TEST_FILES, env: { PDA_THOROUGH: '1' } },
  // A contracts service during an outage of its database, and one with an embedded database.
  services: { files: ['tests/contracts-commands.test.ts'], env: { PDA_THOROUGH: '1' } },
  'service-requests': {
    files: ['tests/exchange-generated.test.ts', 'tests/contracts-matrix.test.ts'],
    env: { EXCHANGE_REQUESTS: '100000', CONTRACTS_REQUESTS: '20000' },
  },
  'client-hellos': { files: ['tests/relay-untrusted-input.test.ts'], env: { PDA_HELLOS: '1000000' } },
  // Each attack alone, for twenty seconds at its full rate, while a normal client uses the server.
  attacks: { files: ['tests/load-attacks.test.ts'], env: { PDA_ATTACK_MS: '20000' } },
  queries: { files: ['server/pda/data/queries/sql/equivalence.property.test.ts'], env: { QUERY_RUNS: '4000' } },
  properties: {
    files: [
      'server/pda/functions/runs/change-feed-reader.property.test.ts',
      'server/pda/sharing/debits/service.property.test.ts',
      'server/pda/sharing/debits/permissions/narrowing-rules.test.ts',
      'server/pda/sharing/access-log/entries/search.property.test.ts',
      'server/pda/sharing/access-log/rules.test.ts',
      'server/exchange/statistics/idempotence.property.test.ts',
      'server/exchange/offers/races.test.ts',
      'tests/files-hostile.test.ts',
      'server/pda/data/records/create.test.ts',
    ],
    env: { PDA_RUNS: '1000', PDA_THOROUGH: '1' },
  },
  // The import of a generated export of five gigabytes, which is killed midway and repeated.
  importers: {
    files: ['tests/importers-large.test.ts'],
    env: { PDA_IMPORT_BYTES: '5000000000', PDA_THOROUGH: '1' },
  },
  // Every kind of read of the most expensive records, and imports that are designed to stall the reader.
  hostile: { files: ['tests/hostile-reads.test.ts', 'tests/importers-worst.test.ts'], env: { PDA_THOROUGH: '1' } },
  // Export and import of an account with a file of five gigabytes.
  move: { files: ['tests/move-large.test.ts'], env: { PDA_MOVE_BYTES: '5000000000' } },
  // All browser tests, including those that `npm test` leaves out.
  browser: { files: ['tests/browser/'], env: { PDA_THOROUGH: '1' } },
};

const root = dirname(import.meta.dirname);
const selectedNames = process.argv.slice(2);
const MUTANTS = 'mutants';
const unknownName = selectedNames.find((name) => !(name in LONG_RUNS) && name !== MUTANTS);
if (unknownName !== undefined) {
  console.error(`unknown run "${unknownName}"; choose from ${[...Object.keys(LONG_RUNS), MUTANTS].join(', ')}`);
  process.exit(2);
}

const RANDOM_FAULTS = 10;

for (const [name, { files, env }] of Object.entries(LONG_RUNS)) {
  if (selectedNames.length > 0 && !selectedNames.includes(name)) continue;
  const startedAt = performance.now();
  const isBrowser = files.every((file) => file.startsWith('tests/browser/'));
  // The default time limit is meant for the short runs.
  const args = isBrowser
    ? [join(root, 'node_modules/@playwright/test/cli.js'), 'test', ...files]
    : [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--testTimeout=0', ...files];
  const { status } = spawnSync(process.execPath, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PDA_LONG_RUN: '1', ...env },
  });
  console.log(
    `${name}: ${status === 0 ? 'passed' : 'failed'} in ${Math.round((performance.now() - startedAt) / 1000)} s`,
  );
  if (status !== 0) process.exitCode = 1;
}

if (selectedNames.length === 0 || selectedNames.includes(MUTANTS)) {
  // The random selection of faults can be repeated with the seed that this run prints.
  const args = [join(root, 'build/test-mutants.ts'), '--random', String(RANDOM_FAULTS)];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  console.log(`${MUTANTS}: ${status === 0 ? 'passed' : 'failed'}`);
  if (status !== 0) process.exitCode = 1;
}

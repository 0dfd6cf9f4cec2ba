import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// The threads of each test's PDA compile their files: cache the compiled code between runs, as the program does.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/code');

/** What takes longest begins first, so that at the end no processor waits for the last file. Of others the largest come first. */
const LONG = [
  'tests/hostile-reads',
  'tests/damaged',
  'tests/backup-targets',
  'tests/desktop-updates',
  'tests/backup-server',
  'tests/verify-receipt',
  'tests/backup-archive',
  'tests/functions-durability',
  'tests/network-sandbox',
  'tests/interruptions',
  'tests/network-story',
  'tests/real-data',
  'tests/functions-installed',
  'tests/functions-elsewhere',
  'tests/access-matrix',
  'tests/disk-full',
  'tests/durability',
  'server/platform/postgres/database',
  'server/contracts/keyring/keyring',
];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = LONG.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return found === -1 ? LONG.length : found;
    };
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer's own sort, which makes a new list
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    include: ['{server,main,build,renderer,functions-sandbox,tests}/**/*.test.ts'],
    exclude: ['tests/browser/**', '**/node_modules/**'],
    setupFiles: ['tests/support/bound-properties.ts', 'tests/support/english.ts', 'tests/support/quick-hashes.ts'],
    // Offers the test files a PostgreSQL; nothing is started unless one asks.
    globalSetup: ['server/platform/postgres/shared-server.test-support.ts'],
    // Real servers on real ports and real files: processes of their own keep native modules and signals apart.
    pool: 'forks',
    // PGlite runs in few files of a process: to make its code fast takes longer than to run it as it is.
    execArgv: ['--liftoff-only'],
    // A process runs one file after the other and loads the servers once: to load them for each file takes two fifths of the time.
    isolate: false,
    sequence: { sequencer: LongFirst },
    // More than two processors have work for: many tests wait, for a process, a disk, a timer.
    maxWorkers: 5,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // What is waited for comes when it comes: on a busy machine a second is no time.
    expect: { poll: { timeout: 60_000 } },
  },
});

import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// The PDAs of the tests start threads that compile their code. Cache it between runs, as the server does.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/code');

/** Slow test files, which start first. Otherwise CPUs could idle at the end of a run. */
const FIRST_TEST_FILES = [
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
  'tests/functions-remote',
  'tests/access-matrix',
  'tests/disk-full',
  'tests/durability',
  'server/platform/postgres/database',
  'server/contracts/keyring/keyring',
];

class SlowFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const position = FIRST_TEST_FILES.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return position === -1 ? FIRST_TEST_FILES.length : position;
    };
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer's own sort, which returns a new list
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    include: ['{server,main,build,renderer,functions-sandbox,tests}/**/*.test.ts'],
    exclude: ['tests/browser/**', '**/node_modules/**'],
    setupFiles: ['tests/support/bound-properties.ts', 'tests/support/english.ts', 'tests/support/quick-hashes.ts'],
    // Provides a PostgreSQL server to the test files. It starts on first use.
    globalSetup: ['server/platform/postgres/shared-server.test-support.ts'],
    // Tests run real servers with ports, files, native modules and signals, which need separate processes.
    pool: 'forks',
    // Few test files of a process use PGlite, so optimising its WebAssembly code takes longer than it saves.
    execArgv: ['--liftoff-only'],
    // Each process loads the servers once for all of its test files. Loading them per file would take two fifths of the
    // time of a run.
    isolate: false,
    sequence: { sequencer: SlowFirstSequencer },
    // Four workers even on two CPUs, because many tests wait for a process, a disk or a timer. A fifth one costs more
    // CPU time to load the servers than it saves.
    maxWorkers: 4,
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // The default of one second is too short on a busy machine.
    expect: { poll: { timeout: 120_000 } },
  },
});

import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// Each PDA of a test has threads, and each of them would compile its files anew: what is compiled is kept from run to run, as the program itself does.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/code');

export default defineConfig({
  test: {
    include: ['{server,main,build,renderer,functions-sandbox,tests}/**/*.test.ts'],
    exclude: ['tests/browser/**', '**/node_modules/**'],
    setupFiles: ['tests/support/bound-properties.ts'],
    // Offers the test files a PostgreSQL; nothing is started unless one asks.
    globalSetup: ['server/platform/postgres/shared-server.test-support.ts'],
    // Real servers on real ports and real files: processes of their own keep native modules and signals apart.
    pool: 'forks',
    // A process runs one file after the other and loads the servers once: to load them for each file takes two fifths of the time.
    isolate: false,
    // More than two processors have work for: many tests wait, for a process, a disk, a timer.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is waited for comes when it comes: on a busy machine a second is no time.
    expect: { poll: { timeout: 15_000 } },
  },
});

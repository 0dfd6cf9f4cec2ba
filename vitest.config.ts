import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{server,main,build,renderer,functions-sandbox,tests}/**/*.test.ts'],
    exclude: ['tests/browser/**', '**/node_modules/**'],
    setupFiles: ['tests/support/bound-properties.ts'],
    // Real servers on real ports and real files: processes of their own keep native modules and signals apart.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});

import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
import { findChromium } from './build/chromium.ts';

// The processes and threads of the PDAs read compiled code from a cache.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/code');

/** Chromium refuses to start as root with its sandbox. Other users keep the sandbox. */
const isRoot = process.getuid?.() === 0;

export default defineConfig({
  testDir: 'tests/browser',
  outputDir: 'test-results',
  reporter: 'list',
  // Four workers even on two CPUs, because each worker spends half of its time waiting.
  workers: 4,
  fullyParallel: true,
  // CI lists tests that pass only on a retry, and fails if there are more than two (build/test-reports.ts).
  retries: process.env['CI'] === undefined ? 0 : 1,
  forbidOnly: process.env['CI'] !== undefined,
  // Generous, so that only hanging tests reach these limits, even on a slow machine.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  use: {
    browserName: 'chromium',
    headless: true,
    actionTimeout: 60_000,
    navigationTimeout: 60_000,
    // Without animations a closed dialog disappears at once, so no text is on the page twice.
    contextOptions: { reducedMotion: 'reduce' },
    // A failure leaves a screenshot. Traces make tests a fifth slower, so they are recorded only on request.
    trace: process.env['PDA_TRACE'] === undefined ? 'off' : { mode: 'retain-on-failure', screenshots: false },
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: findChromium(),
      args: [
        ...(isRoot ? ['--no-sandbox'] : []),
        '--disable-gpu',
        '--no-first-run',
        // Pages live for seconds, so optimising their code takes longer than it saves.
        '--js-flags=--no-opt',
        // Background requests would make tests slow and non-deterministic.
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--disable-quic',
      ],
    },
  },
});

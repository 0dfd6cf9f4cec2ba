import { defineConfig } from '@playwright/test';
import { findChromium } from './build/chromium.ts';

/** Root has no use of Chromium's sandbox: it refuses to start with it. Everybody else keeps it. */
const isRoot = process.getuid?.() === 0;

export default defineConfig({
  testDir: 'tests/browser',
  outputDir: 'test-results',
  reporter: 'list',
  // With as many as there are processors, half of their time is spent waiting.
  workers: 4,
  fullyParallel: true,
  // A test that passes at the second try has not passed.
  retries: 0,
  forbidOnly: process.env['CI'] !== undefined,
  // Bounds for a test that hangs, not for a machine that is slow.
  timeout: 60_000,
  expect: { timeout: 15_000 },
  use: {
    browserName: 'chromium',
    headless: true,
    actionTimeout: 15_000,
    navigationTimeout: 15_000,
    // Nothing fades: what a dialog said is gone when its answer is there, so no text is on the page twice.
    contextOptions: { reducedMotion: 'reduce' },
    // What a failure leaves is its picture and the page in words. Each step as it was takes a fifth of the time: only when it is asked for.
    trace: process.env['PDA_TRACE'] === undefined ? 'off' : { mode: 'retain-on-failure', screenshots: false },
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: findChromium(),
      args: [
        ...(isRoot ? ['--no-sandbox'] : []),
        // Nothing but the pages under test: a browser that talks to its maker makes tests slow and not repeatable.
        '--disable-gpu',
        // A page lives for seconds here: making its code faster takes longer than it gives back.
        '--js-flags=--no-opt',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--disable-quic',
      ],
    },
  },
});

import { existsSync } from 'node:fs';

/**
 * Where a Chromium or Chrome usually is. The first that exists is taken. The one without a window comes first: pages are the same in it, and
 * nothing of a browser's own face is drawn that nobody sees, which takes a third of the time of the tests.
 */
const USUAL_PLACES: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: [
    '/usr/bin/chromium-headless-shell',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/usr/bin/google-chrome-stable',
    '/snap/bin/chromium',
  ],
  darwin: [
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/opt/homebrew/bin/chromium',
  ],
  win32: [
    String.raw`C:\Program Files\Google\Chrome\Application\chrome.exe`,
    String.raw`C:\Program Files (x86)\Google\Chrome\Application\chrome.exe`,
    String.raw`C:\Program Files\Chromium\Application\chrome.exe`,
  ],
};

/**
 * The browser for the browser tests. Playwright's own download is not used: the machine's Chromium will do, and nothing is fetched behind
 * the back of whoever runs the tests.
 *
 * @throws {Error} `no Chromium: …` when there is none, or when CHROMIUM_PATH names a file that is not there. Tests that cannot run fail; they are never skipped.
 */
export function findChromium(
  platform: NodeJS.Platform = process.platform,
  env: Readonly<Record<string, string | undefined>> = process.env,
  exists: (path: string) => boolean = existsSync,
): string {
  const asked = env['CHROMIUM_PATH'];
  if (asked !== undefined && asked !== '') {
    if (exists(asked)) return asked;
    throw new Error(`no Chromium: CHROMIUM_PATH is "${asked}", and no file is there`);
  }
  const found = USUAL_PLACES[platform]?.find((path) => exists(path));
  if (found === undefined) throw new Error('no Chromium: set CHROMIUM_PATH or install chromium');
  return found;
}

import { existsSync } from 'node:fs';

/** Checked in this order. The headless shell has no browser interface, which saves a third of the test time. */
const BROWSER_PATHS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
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
 * Returns the path of the installed Chromium, so that Playwright downloads nothing.
 * @throws {Error} if Chromium is not installed, or if `CHROMIUM_PATH` is set and does not exist
 */
export function findChromium(
  platform: NodeJS.Platform = process.platform,
  env: Readonly<Record<string, string | undefined>> = process.env,
  exists: (path: string) => boolean = existsSync,
): string {
  const configuredPath = env['CHROMIUM_PATH'];
  if (configuredPath !== undefined && configuredPath !== '') {
    if (exists(configuredPath)) return configuredPath;
    throw new Error(`CHROMIUM_PATH is "${configuredPath}", which does not exist`);
  }
  const installedPath = BROWSER_PATHS[platform]?.find((path) => exists(path));
  if (installedPath === undefined) throw new Error('Chromium was not found: set CHROMIUM_PATH or install chromium');
  return installedPath;
}

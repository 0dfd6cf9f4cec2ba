// Detects browser and operating system from a user agent. For display only.

const BROWSERS: [RegExp, string][] = [
  [/\bElectron\//, 'Desktop app'],
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Headless)?Chrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'Mac'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

function firstMatch(pairs: [RegExp, string][], text: string): string | undefined {
  return pairs.find(([pattern]) => pattern.test(text))?.[1];
}

export function parseUserAgent(text: string): { browser: string; system: string } | undefined {
  const browser = firstMatch(BROWSERS, text);
  const system = firstMatch(SYSTEMS, text);
  return browser === undefined || system === undefined ? undefined : { browser, system };
}

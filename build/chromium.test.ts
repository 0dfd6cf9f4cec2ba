import { describe, expect, it } from 'vitest';
import { findChromium } from './chromium.ts';

describe('findChromium', () => {
  it('prefers CHROMIUM_PATH', () => {
    expect(findChromium('linux', { CHROMIUM_PATH: '/opt/mine' }, () => true)).toBe('/opt/mine');
  });

  it('otherwise uses the first existing default path of the platform', () => {
    expect(findChromium('linux', {}, (path) => path.startsWith('/usr/bin/chromium'))).toBe(
      '/usr/bin/chromium-headless-shell',
    );
    expect(findChromium('linux', {}, (path) => path === '/usr/bin/chromium')).toBe('/usr/bin/chromium');
    expect(findChromium('linux', {}, (path) => path === '/usr/bin/google-chrome')).toBe('/usr/bin/google-chrome');
    expect(findChromium('darwin', {}, () => true)).toContain('/Applications/');
    expect(findChromium('win32', {}, () => true)).toMatch(/chrome\.exe$/);
  });

  it('throws with instructions if no browser is found', () => {
    expect(() => findChromium('linux', {}, () => false)).toThrow('set CHROMIUM_PATH or install chromium');
    expect(() => findChromium('aix', {}, () => true)).toThrow('set CHROMIUM_PATH or install chromium');
  });

  it('does not fall back to another browser if CHROMIUM_PATH names a missing file', () => {
    const isInstalledChromium = (path: string) => path === '/usr/bin/chromium';
    expect(() => findChromium('linux', { CHROMIUM_PATH: '/gone' }, isInstalledChromium)).toThrow(
      'CHROMIUM_PATH is "/gone"',
    );
  });
});

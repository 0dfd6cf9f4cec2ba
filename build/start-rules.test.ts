import { describe, expect, it } from 'vitest';
import { hasDesktop, isBuildMachine, planStart, buildRunningText, type ElectronLookup } from './start-rules.ts';

const FOUND: ElectronLookup = { kind: 'found', executable: '/electron' };
const MISSING: ElectronLookup = { kind: 'missing', reason: 'no Electron binary' };

describe('planStart', () => {
  it('opens the app if Electron and a desktop are available', () => {
    expect(planStart({ electron: FOUND, hasDesktop: true, isBuildMachine: false })).toEqual({
      kind: 'app',
      executable: '/electron',
    });
  });

  it('opens the browser on a desktop without Electron, and returns why there is no app window', () => {
    expect(planStart({ electron: MISSING, hasDesktop: true, isBuildMachine: false })).toEqual({
      kind: 'server',
      shouldOpenBrowser: true,
      noAppReason: 'no Electron binary',
    });
  });

  it('opens nothing without a desktop, and returns why there is no app window', () => {
    expect(planStart({ electron: FOUND, hasDesktop: false, isBuildMachine: false })).toEqual({
      kind: 'server',
      shouldOpenBrowser: false,
      noAppReason: 'no desktop session',
    });
  });

  it('opens nothing on a build machine, even with a desktop', () => {
    expect(planStart({ electron: FOUND, hasDesktop: true, isBuildMachine: true })).toMatchObject({
      kind: 'server',
      shouldOpenBrowser: false,
    });
  });
});

describe('hasDesktop', () => {
  it('requires a display on Linux', () => {
    expect(hasDesktop('linux', {})).toBe(false);
    expect(hasDesktop('linux', { DISPLAY: '' })).toBe(false);
    expect(hasDesktop('linux', { DISPLAY: ':0' })).toBe(true);
    expect(hasDesktop('linux', { WAYLAND_DISPLAY: 'wayland-0' })).toBe(true);
  });

  it('is true on macOS and Windows unless connected by SSH', () => {
    expect(hasDesktop('darwin', {})).toBe(true);
    expect(hasDesktop('win32', {})).toBe(true);
    expect(hasDesktop('darwin', { SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' })).toBe(false);
  });
});

describe('isBuildMachine', () => {
  it('is true if CI is set to a value other than 0 and false', () => {
    for (const ci of ['1', 'true', 'yes']) expect(isBuildMachine({ CI: ci })).toBe(true);
    for (const ci of ['', '0', 'false']) expect(isBuildMachine({ CI: ci })).toBe(false);
    expect(isBuildMachine({})).toBe(false);
  });
});

describe('buildRunningText', () => {
  it('contains the address on a separate line, the data folder, and the reason why there is no app window', () => {
    const text = buildRunningText('http://127.0.0.1:4000/', '/home/ann/pda', 'no Electron binary');
    expect(text.split('\n')).toContain('  http://127.0.0.1:4000/');
    expect(text).toContain('Your data is in /home/ann/pda.');
    expect(text).toContain('There is no app window: no Electron binary.');
    expect(text).not.toContain('code');
  });

  it('mentions the one-time code before the set-up', () => {
    const text = buildRunningText('http://127.0.0.1:4000/#/setup?code=abc', '/home/ann/pda', 'x');
    expect(text.split('\n')).toContain('  http://127.0.0.1:4000/#/setup?code=abc');
    expect(text).toContain('a one-time code');
  });
});

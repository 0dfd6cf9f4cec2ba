import { isAbsolute, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  defaultHome,
  checkoutInstallation,
  packagedInstallation,
  serverCommand,
  serverEnvironment,
} from './installation.ts';

describe('the home folder', () => {
  it('is in the data folder of the system by default', () => {
    const home = defaultHome({});
    expect(isAbsolute(home)).toBe(true);
    expect(home).toContain('personal-data-account');
    expect(home).not.toContain('nodejs');
  });

  it("is PDA_HOME, resolved against the owner's working directory, if that is set", () => {
    expect(defaultHome({ PDA_HOME: '/data/mine' })).toBe(resolve('/data/mine'));
    expect(defaultHome({ PDA_HOME: 'mine', INIT_CWD: '/home/ann' })).toBe(resolve('/home/ann/mine'));
    expect(defaultHome({ PDA_HOME: '' })).toBe(defaultHome({}));
  });
});

describe('the command that starts the server', () => {
  it('runs the same file with the bundled Node in the app and in a checkout', () => {
    const installed = serverCommand(packagedInstallation('/app/resources', 'linux'), '/home/ann/pda', {});
    expect(installed.program).toBe(join('/app/resources/pda/bin/node'));
    expect(installed.args).toEqual([
      join('/app/resources/pda/server/pda/cli/main.js'),
      'serve',
      '--home',
      '/home/ann/pda',
    ]);
    const checkout = serverCommand(checkoutInstallation('/code', 'win32'), '/home/ann/pda', {}, 4000);
    expect(checkout.program).toBe(join('/code/node_modules/node/bin/node.exe'));
    expect(checkout.args).toEqual([
      join('/code/server/pda/cli/main.js'),
      'serve',
      '--home',
      '/home/ann/pda',
      '--port',
      '4000',
    ]);
  });

  it('passes on no variables of Node, Electron or npm', () => {
    const env = serverEnvironment({
      PATH: '/usr/bin',
      HTTPS_PROXY: 'http://proxy',
      PDA_ALLOW_LOOPBACK: '1',
      NODE_OPTIONS: '--require ./evil.cjs',
      NODE_PATH: '/evil',
      ELECTRON_RUN_AS_NODE: '1',
      npm_config_cache: '/x',
      UNSET: undefined,
    });
    expect(Object.keys(env).toSorted()).toEqual(['HTTPS_PROXY', 'PATH', 'PDA_ALLOW_LOOPBACK', 'PDA_CODE_CACHE']);
  });

  it("stores compiled code in the owner's cache folder by default", () => {
    expect(serverEnvironment({})['PDA_CODE_CACHE']).toContain('personal-data-account');
    expect(serverEnvironment({ PDA_CODE_CACHE: '/mine' })['PDA_CODE_CACHE']).toBe('/mine');
  });
});

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleApp } from './app-bundle.ts';
import { parseModule } from './module-facts.ts';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'app-bundle-'));
  await bundleApp(dirname(import.meta.dirname), folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the bundle of the desktop shell', () => {
  it('imports only Electron and Node', () => {
    const { imports } = parseModule('main.ts', readFileSync(join(folder, 'main.mjs'), 'utf8'));
    const specifiers = imports.map(({ specifier }) => specifier ?? '<computed>');
    expect(specifiers).toContain('electron');
    expect(specifiers.filter((specifier) => specifier !== 'electron' && !specifier.startsWith('node:'))).toEqual([]);
  });

  it('has a package.json with its entry point and the project version', () => {
    const readJsonFile = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
    const { version } = readJsonFile(join(import.meta.dirname, '..', 'package.json')) as { version: string };
    expect(readJsonFile(join(folder, 'package.json'))).toMatchObject({
      main: 'main.mjs',
      type: 'module',
      productName: 'Personal Data Account',
      version,
    });
  });

  it('contains the tray icons', () => {
    expect(readdirSync(folder)).toEqual(
      expect.arrayContaining(['tray.png', 'tray@2x.png', 'trayTemplate.png', 'trayTemplate@2x.png']),
    );
  });
});

describe('the updater inside the bundle', () => {
  it('loads in an ES module with stubs for Electron, and is null without app-update.yml', async () => {
    const app = join(folder, 'with-updater');
    await bundleApp(dirname(import.meta.dirname), app, 'main/updates/electron-updater.ts');
    const write = (path: string, text: string): void => {
      mkdirSync(dirname(join(app, path)), { recursive: true });
      writeFileSync(join(app, path), text);
    };
    write('app-update.yml', 'provider: generic\nurl: https://updates.invalid/\n');
    write('node_modules/electron/package.json', '{"main":"index.cjs"}');
    write(
      'node_modules/electron/index.cjs',
      `const { EventEmitter } = require('node:events');
       const folder = __dirname;
       exports.app = Object.assign(new EventEmitter(), { isPackaged: true, getVersion: () => '0.1.0', getName: () => 'x',
         getPath: () => folder, getAppPath: () => folder, whenReady: async () => {} });
       exports.dialog = {}; exports.net = {}; exports.session = { fromPartition: () => ({}) }; exports.autoUpdater = new EventEmitter();`,
    );
    write(
      'run.mjs',
      `process.resourcesPath = import.meta.dirname;
       const { findUpdater } = await import('./main.mjs');
       const updater = await findUpdater();
       console.log(typeof updater.checkForUpdates, typeof updater.quitAndInstall);
       process.resourcesPath = import.meta.dirname + '/elsewhere';
       console.log(await findUpdater());`,
    );
    const { stdout } = await promisify(execFile)(process.execPath, [join(app, 'run.mjs')]);
    expect(stdout).toBe('function function\nnull\n');
  });
});

describe('the icons', () => {
  it.each([
    ['icon.png', 1024],
    ['tray.png', 16],
    ['tray@2x.png', 32],
    ['trayTemplate.png', 16],
    ['trayTemplate@2x.png', 32],
  ])('include %s, a square PNG, %i pixels wide', (name, size) => {
    const png = readFileSync(join(import.meta.dirname, 'icons', name));
    expect(png.subarray(1, 4).toString('latin1')).toBe('PNG');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([size, size]);
  });
});

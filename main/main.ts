import {
  app,
  BrowserWindow,
  Menu,
  nativeTheme,
  Notification,
  powerMonitor,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
} from 'electron';
import { join } from 'node:path';
import { runApp } from './app.ts';
import { partsOfCheckout, partsOfInstalledApp } from './server/installation.ts';
import { askOwner, findUpdater, showNotice } from './updates/electron-updater.ts';

// Entry point: passes Electron to `app.ts`, which uses it only through `ElectronParts`.

runApp({
  electron: {
    app,
    BrowserWindow,
    Menu,
    nativeTheme,
    Notification,
    powerMonitor,
    safeStorage,
    screen,
    session,
    shell,
    Tray,
  },
  // In a checkout, the app's bundle is in `<root>/dist/app`.
  parts: app.isPackaged
    ? partsOfInstalledApp(process.resourcesPath, process.platform)
    : partsOfCheckout(join(app.getAppPath(), '..', '..'), process.platform),
  findUpdater,
  askOwner,
  notifyOwner: showNotice,
  platform: process.platform,
  env: process.env,
  argv: process.argv,
  onLog: (line) => process.stderr.write(`${line}\n`),
});

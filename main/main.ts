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
import { checkoutInstallation, packagedInstallation } from './server/installation.ts';
import { askOwner, findUpdater, showNotice } from './updates/electron-updater.ts';

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
  installation: app.isPackaged
    ? packagedInstallation(process.resourcesPath, process.platform)
    : checkoutInstallation(join(app.getAppPath(), '..', '..'), process.platform),
  findUpdater,
  askOwner,
  notifyOwner: showNotice,
  platform: process.platform,
  env: process.env,
  argv: process.argv,
  onLog: (line) => process.stderr.write(`${line}\n`),
});

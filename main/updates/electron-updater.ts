import { app, dialog } from 'electron';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { UpdateNotice } from './rules.ts';
import type { Question, Updater } from './update-flow.ts';

/** Returns null in a checkout and in an app without an update source. */
export async function findUpdater(): Promise<Updater | null> {
  // electron-builder writes this file if an update source is configured. Without the file, every check would fail.
  if (!app.isPackaged || !existsSync(join(process.resourcesPath, 'app-update.yml'))) return null;
  const { autoUpdater } = await import('electron-updater');
  return autoUpdater;
}

/** Asks the owner a question in a dialog. Return, Escape and closing the dialog mean no. */
export async function askOwner({ message, detail, yes, no }: Question): Promise<boolean> {
  const { response } = await dialog.showMessageBox({
    type: 'question',
    message,
    detail,
    buttons: [no, yes],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  });
  return response === 1;
}

/** Informs the owner in a dialog, because a notification would be truncated. Does not wait for the owner. */
export function showNotice({ message, detail }: UpdateNotice): void {
  void dialog.showMessageBox({ type: 'info', message, detail, buttons: ['OK'], noLink: true });
}

import { app, dialog } from 'electron';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { UpdateWords } from './rules.ts';
import type { Question, Updater } from './update-flow.ts';

/**
 * The updater of this system, or null: in a checkout, and in an app that was built without a place to get updates from. Loaded only where it is used.
 */
export async function findUpdater(): Promise<Updater | null> {
  // electron-builder writes it when a place is configured. Without the file each look would end in an error.
  if (!app.isPackaged || !existsSync(join(process.resourcesPath, 'app-update.yml'))) return null;
  const { autoUpdater } = await import('electron-updater');
  return autoUpdater;
}

/** Asks the owner. Closing the dialog, Return and Escape are all no. */
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

/** Tells the owner, in full: a notification would cut it. The app goes on meanwhile. */
export function tellOwner({ message, detail }: UpdateWords): void {
  void dialog.showMessageBox({ type: 'info', message, detail, buttons: ['OK'], noLink: true });
}

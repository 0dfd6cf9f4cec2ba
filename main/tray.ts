import { Menu, Tray } from 'electron';
import { join } from 'node:path';
import type { TrayFace } from './tray-rules.ts';

export type AppTray = {
  show(face: TrayFace): void;
  close(): void;
};

/**
 * The icon in the tray or menu bar, with the state in words, open and quit.
 *
 * @param config `icons`: the folder with `tray.png` and `trayTemplate.png`
 */
export function createTray(config: {
  readonly icons: string;
  readonly onOpen: () => void;
  readonly onQuit: () => void;
}): AppTray {
  const tray = new Tray(join(config.icons, process.platform === 'darwin' ? 'trayTemplate.png' : 'tray.png'));
  let canOpen = false;
  // On macOS a click opens the menu by itself.
  if (process.platform !== 'darwin') {
    tray.on('click', () => {
      if (canOpen) config.onOpen();
    });
  }
  return {
    show(face) {
      canOpen = face.canOpen;
      tray.setToolTip(`Personal Data Account: ${face.status}`);
      tray.setContextMenu(
        Menu.buildFromTemplate([
          { label: face.status, enabled: false },
          { type: 'separator' },
          { label: 'Open', enabled: face.canOpen, click: config.onOpen },
          { label: 'Quit', click: config.onQuit },
        ]),
      );
    },
    close: () => tray.destroy(),
  };
}

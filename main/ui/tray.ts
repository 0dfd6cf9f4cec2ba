import type { MenuItemConstructorOptions } from 'electron';
import { join } from 'node:path';
import type { ElectronParts } from '../system/electron-api.ts';
import type { Command, TrayFace, TrayItem } from './tray-rules.ts';

export type AppTray = {
  show(face: TrayFace): void;
  close(): void;
};

/**
 * Creates the icon in the tray or menu bar, with status and commands.
 * @param config `icons`: folder with `tray.png` and `trayTemplate.png`
 */
export function createTray(config: {
  readonly electron: Pick<ElectronParts, 'Tray' | 'Menu'>;
  readonly platform: NodeJS.Platform;
  readonly icons: string;
  readonly run: (command: Command) => void;
}): AppTray {
  const { Tray, Menu } = config.electron;
  const tray = new Tray(join(config.icons, config.platform === 'darwin' ? 'trayTemplate.png' : 'tray.png'));
  // On macOS a click opens the menu by itself.
  if (config.platform !== 'darwin') tray.on('click', () => config.run('open'));
  let shownState = '';
  return {
    show(face) {
      // Replacing the menu closes it, so an unchanged menu is kept.
      const text = JSON.stringify(face);
      if (text === shownState) return;
      shownState = text;
      tray.setToolTip(face.tooltip);
      tray.setContextMenu(Menu.buildFromTemplate(face.items.map((item) => toMenuItem(item, config.run))));
    },
    close: () => tray.destroy(),
  };
}

function toMenuItem(item: TrayItem, run: (command: Command) => void): MenuItemConstructorOptions {
  if (item.kind === 'line') return { type: 'separator' };
  if (item.kind === 'words') return { label: item.label, enabled: false };
  const { command, label, checked } = item;
  return {
    label,
    click: () => run(command),
    ...(checked === undefined ? {} : { type: 'checkbox' as const, checked }),
  };
}

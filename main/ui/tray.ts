import type { MenuItemConstructorOptions } from 'electron';
import { join } from 'node:path';
import type { ElectronApi } from '../system/electron-api.ts';
import type { Command, TrayContent, TrayItem } from './tray-rules.ts';

/** @param config `icons`: folder with `tray.png` and `trayTemplate.png` */
export function createTray(config: {
  readonly electron: Pick<ElectronApi, 'Tray' | 'Menu'>;
  readonly platform: NodeJS.Platform;
  readonly icons: string;
  readonly runCommand: (command: Command) => void;
}) {
  const { Tray, Menu } = config.electron;
  const tray = new Tray(join(config.icons, config.platform === 'darwin' ? 'trayTemplate.png' : 'tray.png'));
  // On macOS a click opens the menu by itself.
  if (config.platform !== 'darwin') tray.on('click', () => config.runCommand('open'));
  let shownContent = '';
  return {
    show(content: TrayContent): void {
      // Replacing the menu closes it, so an unchanged menu is kept.
      const json = JSON.stringify(content);
      if (json === shownContent) return;
      shownContent = json;
      tray.setToolTip(content.tooltip);
      tray.setContextMenu(Menu.buildFromTemplate(content.items.map((item) => toMenuItem(item, config.runCommand))));
    },
    close: (): void => tray.destroy(),
  };
}

function toMenuItem(item: TrayItem, runCommand: (command: Command) => void): MenuItemConstructorOptions {
  if (item.kind === 'separator') return { type: 'separator' };
  if (item.kind === 'text') return { label: item.label, enabled: false };
  const { command, label, checked } = item;
  return {
    label,
    click: () => runCommand(command),
    ...(checked === undefined ? {} : { type: 'checkbox' as const, checked }),
  };
}

import type { MenuItemConstructorOptions } from 'electron';
import type { Texts } from '../texts/en.ts';
import type { Command } from './tray-rules.ts';

export function buildAppMenu(
  platform: NodeJS.Platform,
  isDeveloperMode: boolean,
  runCommand: (command: Command) => void,
  { commands, menu }: Texts,
): MenuItemConstructorOptions[] {
  const command = (id: Command, label: string, accelerator?: string): MenuItemConstructorOptions => ({
    label,
    click: () => runCommand(id),
    ...(accelerator === undefined ? {} : { accelerator }),
  });
  const isMac = platform === 'darwin';
  const role = (name: keyof Texts['menu']['roles']): MenuItemConstructorOptions => ({
    role: name,
    label: menu.roles[name],
  });
  const separator: MenuItemConstructorOptions = { type: 'separator' };
  /** Marks the first letter of a menu title as its access key. macOS has no access keys. */
  const withAccessKey = (label: string): string => (isMac ? label : `&${label}`);
  return [
    // On macOS this menu contains Quit.
    ...(isMac
      ? [
          {
            role: 'appMenu' as const,
            submenu: [
              role('about'),
              separator,
              role('services'),
              separator,
              role('hide'),
              role('hideOthers'),
              role('unhide'),
              separator,
              role('quit'),
            ],
          },
        ]
      : []),
    {
      label: isMac ? 'PDA' : withAccessKey(menu.file),
      submenu: [
        command('open', commands.open, 'CmdOrCtrl+Shift+O'),
        command('requests', menu.requests, 'CmdOrCtrl+Shift+R'),
        separator,
        command('go-dark', commands.goDark, 'CmdOrCtrl+Shift+D'),
        command('pause-functions', commands.pauseFunctions),
        separator,
        command('update', commands.checkForUpdates),
        separator,
        role('close'),
        ...(isMac ? [] : [command('quit', commands.quit, 'CmdOrCtrl+Q')]),
      ],
    },
    {
      role: 'editMenu',
      label: withAccessKey(menu.edit),
      submenu: [
        role('undo'),
        role('redo'),
        separator,
        role('cut'),
        role('copy'),
        role('paste'),
        ...(isMac ? [role('pasteAndMatchStyle')] : []),
        role('delete'),
        separator,
        role('selectAll'),
        ...(isMac ? [separator, { label: menu.speech, submenu: [role('startSpeaking'), role('stopSpeaking')] }] : []),
      ],
    },
    {
      label: withAccessKey(menu.view),
      submenu: [
        role('reload'),
        separator,
        role('resetZoom'),
        role('zoomIn'),
        role('zoomOut'),
        separator,
        role('togglefullscreen'),
        ...(isDeveloperMode ? [role('toggleDevTools')] : []),
      ],
    },
    {
      role: 'windowMenu',
      label: withAccessKey(menu.window),
      submenu: [role('minimize'), role('zoom'), ...(isMac ? [separator, role('front')] : [role('close')])],
    },
  ];
}

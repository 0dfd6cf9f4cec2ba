import type { MenuItemConstructorOptions } from 'electron';
import type { Texts } from '../texts/en.ts';
import type { Command } from './tray-rules.ts';

/** Builds the app menu with its keyboard shortcuts. On Windows and Linux the Alt key shows it. */
export function appMenu(
  platform: NodeJS.Platform,
  developer: boolean,
  run: (command: Command) => void,
  { commands, menu }: Texts,
): MenuItemConstructorOptions[] {
  const command = (id: Command, label: string, accelerator?: string): MenuItemConstructorOptions => ({
    label,
    click: () => run(id),
    ...(accelerator === undefined ? {} : { accelerator }),
  });
  const isMac = platform === 'darwin';
  const role = (name: keyof Texts['menu']['roles']): MenuItemConstructorOptions => ({
    role: name,
    label: menu.roles[name],
  });
  const line: MenuItemConstructorOptions = { type: 'separator' };
  /** Adds the access key of a menu title, where the system has them. */
  const withKey = (label: string): string => (isMac ? label : `&${label}`);
  return [
    // On macOS this menu contains Quit.
    ...(isMac
      ? [
          {
            role: 'appMenu' as const,
            submenu: [
              role('about'),
              line,
              role('services'),
              line,
              role('hide'),
              role('hideOthers'),
              role('unhide'),
              line,
              role('quit'),
            ],
          },
        ]
      : []),
    {
      label: isMac ? 'PDA' : withKey(menu.file),
      submenu: [
        command('open', commands.open, 'CmdOrCtrl+Shift+O'),
        command('requests', menu.requests, 'CmdOrCtrl+Shift+R'),
        line,
        command('go-dark', commands.goDark, 'CmdOrCtrl+Shift+D'),
        command('pause-functions', commands.pauseFunctions),
        line,
        command('update', commands.checkForUpdates),
        line,
        role('close'),
        ...(isMac ? [] : [command('quit', commands.quit, 'CmdOrCtrl+Q')]),
      ],
    },
    {
      role: 'editMenu',
      label: withKey(menu.edit),
      submenu: [
        role('undo'),
        role('redo'),
        line,
        role('cut'),
        role('copy'),
        role('paste'),
        ...(isMac ? [role('pasteAndMatchStyle')] : []),
        role('delete'),
        line,
        role('selectAll'),
        ...(isMac ? [line, { label: menu.speech, submenu: [role('startSpeaking'), role('stopSpeaking')] }] : []),
      ],
    },
    {
      label: withKey(menu.view),
      submenu: [
        role('reload'),
        line,
        role('resetZoom'),
        role('zoomIn'),
        role('zoomOut'),
        line,
        role('togglefullscreen'),
        ...(developer ? [role('toggleDevTools')] : []),
      ],
    },
    {
      role: 'windowMenu',
      label: withKey(menu.window),
      submenu: [role('minimize'), role('zoom'), ...(isMac ? [line, role('front')] : [role('close')])],
    },
  ];
}

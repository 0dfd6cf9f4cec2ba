import type { DesktopCommand } from '../../server/wire/desktop.ts';
import { messageOf } from '../../server/wire/values.ts';
import { BACKUP_PAGE, HOME_PAGE, REQUESTS_PAGE } from '../system/deep-link-rules.ts';
import type { LoginItem } from '../system/login-item.ts';
import type { ServerProcess } from '../server/process.ts';
import type { Texts } from '../texts/en.ts';
import type { Command } from './tray-rules.ts';

const DESKTOP_COMMANDS: Partial<Record<Command, DesktopCommand['type'] & Command>> = {
  'go-dark': 'go-dark',
  'go-light': 'go-light',
  'pause-functions': 'pause-functions',
  'resume-functions': 'resume-functions',
};

export function createCommandRunner(options: {
  readonly sendCommand: ServerProcess['link']['sendCommand'];
  readonly start: () => void;
  readonly open: (page: string | null) => void;
  readonly quit: () => void;
  readonly update: () => Promise<void>;
  readonly showMessage: (title: string, body: string, page: string) => void;
  readonly loginItem: LoginItem | null;
  readonly texts: Texts;
  /** Called when the login item, which the tray displays, may have changed. */
  readonly onChange: () => void;
}): (command: Command) => void {
  const { open, showMessage, loginItem, texts } = options;
  const runDesktopCommand = async (type: DesktopCommand['type'] & Command): Promise<void> => {
    const outcome = await options.sendCommand({ type });
    if (!outcome.done) showMessage(texts.commands.notDone, outcome.reason, HOME_PAGE);
  };
  return (command) => {
    const type = DESKTOP_COMMANDS[command];
    if (type !== undefined) void runDesktopCommand(type);
    else if (command === 'open') open(null);
    else if (command === 'requests') open(REQUESTS_PAGE);
    else if (command === 'backups') open(BACKUP_PAGE);
    else if (command === 'try-again') options.start();
    else if (command === 'update') void options.update();
    else if (command === 'quit') options.quit();
    else if (loginItem !== null) {
      try {
        loginItem.set(!loginItem.isOn());
      } catch (error) {
        showMessage(texts.commands.notChanged, messageOf(error), HOME_PAGE);
      }
      options.onChange();
    }
  };
}

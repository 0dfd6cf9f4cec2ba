import { messageOf } from '../../server/wire/values.ts';
import type { Installation } from '../server/installation.ts';
import type { Texts } from '../texts/en.ts';
import type { UpdateNotice } from './rules.ts';
import type { Updater, UpdateFlow, UpdateState } from './update-flow.ts';

/** Creates the menu command that checks for updates and, once an update is downloaded, installs it. */
export function createUpdatesCommand(options: {
  readonly version: string;
  readonly findUpdater: () => Promise<Updater | null>;
  readonly createFlow: (context: { readonly updater: Updater | null; readonly running: Installation }) => UpdateFlow;
  readonly notify: (notice: UpdateNotice) => void;
  readonly texts: Texts;
  readonly onLog: (line: string) => void;
}) {
  const { version, notify, onLog } = options;
  const { updates: updateTexts } = options.texts;
  const listeners = new Set<() => void>();
  let updates: UpdateFlow | null = null;
  let installationRoot: string | null = null;
  const notifyListeners = (): void => {
    for (const listener of listeners) listener();
  };

  const findUpdater = async (): Promise<Updater | null> => {
    try {
      return await options.findUpdater();
    } catch (cause) {
      onLog(`update: ${messageOf(cause)}`);
      return null;
    }
  };

  const createFlow = async (running: Installation): Promise<void> => {
    const updater = await findUpdater();
    // A different installation may have been set in the meantime.
    if (installationRoot !== running.root) return;
    updates = options.createFlow({ updater, running });
    updates.subscribe((state) => {
      // Reported even long after the owner's request, because the installer can fail in its last step.
      if (state.kind === 'failed') notify(state.notice);
      notifyListeners();
    });
    notifyListeners();
  };

  return {
    state: (): UpdateState | null => updates?.state() ?? null,
    onChange: (listener: () => void): void => void listeners.add(listener),
    /** Must be called when the server starts to run from a different installation. */
    setInstallation(running: Installation): void {
      if (running.root === installationRoot) return;
      installationRoot = running.root;
      void createFlow(running);
    },
    async run(): Promise<void> {
      if (updates === null)
        return notify({ message: updateTexts.serverNotStarted, detail: updateTexts.serverNotStartedText });
      const initialState = updates.state();
      if (initialState.kind === 'unavailable')
        return notify({ message: initialState.reason, detail: updateTexts.manualInstallation(version) });
      await (initialState.kind === 'ready' ? updates.install() : updates.check());
      if (updates.state().kind === 'up-to-date')
        notify({ message: updateTexts.upToDate, detail: updateTexts.upToDateText(version) });
    },
    /** Returns true while an update copies the database or the installer runs. Until it ends, no server may start. */
    isUsingHome(): boolean {
      const kind = updates?.state().kind;
      return kind === 'preparing' || kind === 'installing';
    },
  };
}

import { messageOf } from '../../server/wire/values.ts';
import type { Parts } from '../server/installation.ts';
import type { Texts } from '../texts/en.ts';
import type { UpdateNotice } from './rules.ts';
import type { Updater, Updates, UpdateState } from './update-flow.ts';

/** The command "Check for updates…". */
export type UpdatesCommand = {
  /** Null before the first start of the server. */
  state(): UpdateState | null;
  onChange(listener: () => void): void;
  /** Sets the parts that the server runs with from now on. */
  runsWith(parts: Parts): void;
  /** Performs the next step and reports its result to the owner. */
  run(): Promise<void>;
  /** Returns true while the home must not be used: it is being copied, or the installer runs. */
  hasHome(): boolean;
};

/** @param parts `open`: opens the update flow for a server that runs with `running` */
export function createUpdatesCommand(parts: {
  readonly version: string;
  readonly findUpdater: () => Promise<Updater | null>;
  readonly open: (use: { readonly updater: Updater | null; readonly running: Parts }) => Updates;
  readonly notify: (notice: UpdateNotice) => void;
  readonly texts: Texts;
  readonly onLog: (line: string) => void;
}): UpdatesCommand {
  const { version, notify, onLog } = parts;
  const { updates: updateTexts } = parts.texts;
  const listeners = new Set<() => void>();
  let updates: Updates | null = null;
  let root: string | null = null;
  const notifyListeners = (): void => {
    for (const listener of listeners) listener();
  };

  const findUpdater = async (): Promise<Updater | null> => {
    try {
      return await parts.findUpdater();
    } catch (cause) {
      onLog(`update: ${messageOf(cause)}`);
      return null;
    }
  };

  const open = async (running: Parts): Promise<void> => {
    const updater = await findUpdater();
    // The parts may have changed in the meantime.
    if (root !== running.root) return;
    updates = parts.open({ updater, running });
    updates.subscribe((state) => {
      // Reported even long after the request: an installer may fail at the end.
      if (state.kind === 'failed') notify(state.notice);
      notifyListeners();
    });
    notifyListeners();
  };

  return {
    state: () => updates?.state() ?? null,
    onChange: (listener) => void listeners.add(listener),
    runsWith(running) {
      if (running.root === root) return;
      root = running.root;
      void open(running);
    },
    async run() {
      if (updates === null) return notify({ message: updateTexts.notYet, detail: updateTexts.notYetText });
      const before = updates.state();
      if (before.kind === 'unavailable') return notify({ message: before.why, detail: updateTexts.byHand(version) });
      await (before.kind === 'ready' ? updates.install() : updates.check());
      const after = updates.state();
      if (after.kind === 'newest') notify({ message: updateTexts.newest, detail: updateTexts.newestText(version) });
    },
    hasHome() {
      const kind = updates?.state().kind;
      return kind === 'preparing' || kind === 'installing';
    },
  };
}

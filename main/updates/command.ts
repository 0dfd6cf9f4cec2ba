import { messageOf } from '../../server/wire/values.ts';
import type { Parts } from '../server/installation.ts';
import type { Texts } from '../texts/en.ts';
import type { UpdateWords } from './rules.ts';
import type { Updater, Updates, UpdateState } from './update-flow.ts';

/** "Check for updates…", wherever it is chosen. */
export type UpdatesCommand = {
  /** Null before the server was started for the first time. */
  state(): UpdateState | null;
  onChange(listener: () => void): void;
  /** The server runs with these from now on. */
  runsWith(parts: Parts): void;
  /** Does the next step, and tells the owner how it ended. */
  run(): Promise<void>;
  /** Whether the home is not to be touched: its copy is made, or the installer runs. */
  hasHome(): boolean;
};

/** @param parts `open`: the way to the next version, for a server that runs with `running` */
export function createUpdatesCommand(parts: {
  readonly version: string;
  readonly findUpdater: () => Promise<Updater | null>;
  readonly open: (use: { readonly updater: Updater | null; readonly running: Parts }) => Updates;
  readonly tell: (words: UpdateWords) => void;
  readonly texts: Texts;
  readonly onLog: (line: string) => void;
}): UpdatesCommand {
  const { version, tell, onLog } = parts;
  const { updates: words } = parts.texts;
  const listeners = new Set<() => void>();
  let updates: Updates | null = null;
  let root: string | null = null;
  const changed = (): void => {
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
    // Meanwhile it may run with others.
    if (root !== running.root) return;
    updates = parts.open({ updater, running });
    updates.subscribe((state) => {
      // Also long after it was asked for: an installer may refuse in the end.
      if (state.kind === 'failed') tell(state.words);
      changed();
    });
    changed();
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
      if (updates === null) return tell({ message: words.notYet, detail: words.notYetText });
      const before = updates.state();
      if (before.kind === 'unavailable') return tell({ message: before.why, detail: words.byHand(version) });
      await (before.kind === 'ready' ? updates.install() : updates.look());
      const after = updates.state();
      if (after.kind === 'newest') tell({ message: words.newest, detail: words.newestText(version) });
    },
    hasHome() {
      const kind = updates?.state().kind;
      return kind === 'preparing' || kind === 'installing';
    },
  };
}

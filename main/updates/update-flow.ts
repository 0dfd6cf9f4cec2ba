import type { AppUpdater } from 'electron-updater';
import { messageOf } from '../../server/wire/values.ts';
import type { Parts } from '../server/installation.ts';
import type { StopOutcome } from '../server/process.ts';
import type { Texts } from '../texts/en.ts';
import type { UpdateFile } from './update-file.ts';
import { isOffered, type UpdateRecord, type UpdateWords } from './rules.ts';
import { forgetServers, keepServer, roomMissing, type Copies } from './server-copies.ts';

/** What is used of electron-updater. */
export type Updater = Pick<
  AppUpdater,
  | 'autoDownload'
  | 'autoInstallOnAppQuit'
  | 'allowDowngrade'
  | 'allowPrerelease'
  | 'disableWebInstaller'
  | 'logger'
  | 'checkForUpdates'
  | 'downloadUpdate'
  | 'quitAndInstall'
  | 'on'
>;

/** Where an update stands, for the menu. */
export type UpdateState =
  | { readonly kind: 'unavailable'; readonly why: string }
  | { readonly kind: 'idle' }
  | { readonly kind: 'looking' }
  | { readonly kind: 'newest' }
  | { readonly kind: 'loading'; readonly version: string; readonly percent: number }
  /** Loaded and checked. Nothing more happens until the owner asks for it. */
  | { readonly kind: 'ready'; readonly version: string }
  | { readonly kind: 'preparing'; readonly version: string }
  | { readonly kind: 'installing'; readonly version: string }
  | { readonly kind: 'failed'; readonly words: UpdateWords };

export type Question = UpdateWords & { readonly yes: string; readonly no: string };

export type Updates = {
  state(): UpdateState;
  /** Called on each change; returns the way out. */
  subscribe(listener: (state: UpdateState) => void): () => void;
  /** Looks for a newer version, for an owner who asked. What is found is loaded and installed only after a yes to each. Never rejects. */
  look(): Promise<void>;
  /** Installs what is ready, after a yes. Never rejects. */
  install(): Promise<void>;
};

/**
 * The way to a newer version. Each step that changes something is the owner's: looking, loading, installing. Before the installer runs, the server is
 * stopped in order, the database is copied, and the server of this version is kept beside the app (docs/adr/0023).
 *
 * @param parts `updater`: null where there is no place to get updates from
 */
export function createUpdates(parts: {
  readonly updater: Updater | null;
  readonly version: string;
  readonly file: UpdateFile;
  /** What runs now. After a way back that is the server of before, not the one that this app carries. */
  readonly running: Parts;
  readonly home: string;
  readonly keptFolder: string;
  readonly copies: Copies;
  readonly server: { stop(): Promise<StopOutcome>; start(): void };
  /** False for no, and for a question that was closed. */
  readonly ask: (question: Question) => Promise<boolean>;
  readonly texts: Texts;
  readonly onLog?: (line: string) => void;
}): Updates {
  const { updater, version, file, running, home, keptFolder, copies, server, ask } = parts;
  const onLog = parts.onLog ?? (() => {});
  const { updates: words } = parts.texts;
  const listeners = new Set<(state: UpdateState) => void>();
  let state: UpdateState = updater === null ? { kind: 'unavailable', why: words.noPlace } : { kind: 'idle' };
  let busy = false;
  /** While the installer has the word: what is done when it refuses. */
  let onRefused: ((cause: unknown) => Promise<void>) | null = null;
  const become = (next: UpdateState): void => {
    state = next;
    for (const listener of listeners) listener(next);
  };
  const fail = (message: string, cause: unknown): void => {
    const detail = messageOf(cause);
    onLog(`update: ${detail}`);
    become({ kind: 'failed', words: { message, detail: words.failedText(detail.slice(0, 500)) } });
  };

  if (updater !== null) {
    // Its own defaults load at once what they find, and install it when the app quits.
    updater.autoDownload = false;
    updater.autoInstallOnAppQuit = false;
    updater.allowDowngrade = false;
    updater.allowPrerelease = false;
    updater.disableWebInstaller = true;
    updater.logger = null;
    updater.on('error', (error) => {
      onLog(`update: ${error.message}`);
      // An owner who does not give the system's password, say. Without this the PDA would stay stopped.
      void onRefused?.(error);
    });
    updater.on('download-progress', ({ percent }) => {
      if (state.kind === 'loading') become({ ...state, percent: Math.round(percent) });
    });
  }

  /** One thing at a time: a second click on the menu does nothing, nor one while the installer has the word. */
  const alone = async (work: () => Promise<void>): Promise<void> => {
    if (busy || state.kind === 'installing') return;
    busy = true;
    try {
      await work();
    } finally {
      busy = false;
    }
  };

  const load = async (from: Updater, found: string): Promise<void> => {
    const wanted = await ask({
      message: words.found(found),
      detail: words.foundText(version),
      yes: words.load,
      no: words.notNow,
    });
    if (!wanted) return become({ kind: 'idle' });
    become({ kind: 'loading', version: found, percent: 0 });
    try {
      await from.downloadUpdate();
    } catch (cause) {
      return fail(words.notLoaded(found), cause);
    }
    become({ kind: 'ready', version: found });
    await installNow(from, found);
  };

  const lookNow = async (from: Updater): Promise<void> => {
    become({ kind: 'looking' });
    let found: string | undefined;
    try {
      found = (await from.checkForUpdates())?.updateInfo.version;
    } catch (cause) {
      return fail(words.notLooked, cause);
    }
    if (found === undefined || !isOffered(found, version, file.read())) return become({ kind: 'newest' });
    await load(from, found);
  };

  const installNow = async (installer: Updater, to: string): Promise<void> => {
    const wanted = await ask({
      message: words.install(to),
      detail: words.installText,
      yes: words.installYes,
      no: words.later,
    });
    if (!wanted) return become({ kind: 'ready', version: to });
    become({ kind: 'preparing', version: to });
    // Where this cannot be found out, what is copied next meets it.
    const missing = await roomMissing(running, home, keptFolder).catch(() => null);
    if (missing !== null) return fail(words.notInstalled(to), words.noRoom(missing.wanted, missing.free));
    const before = file.read();
    const from = before.phase === 'gone-back' ? before.from : version;
    const stop = await server.stop();
    const giveUp = async (cause: unknown): Promise<void> => {
      onRefused = null;
      await undoPreparation(before);
      server.start();
      fail(words.notInstalled(to), cause);
    };
    try {
      // Only a database that was closed in order is complete in its file.
      if (stop.kind === 'cut-off' || stop.kind === 'badly') throw new Error(words.notStopped);
      const kept = await keepServer(running, keptFolder, from);
      const copy = `before-${to}`;
      onLog(`update: ${await copies.make(running, copy)}`);
      file.write({ phase: 'installing', from, to, kept, copy });
      become({ kind: 'installing', version: to });
      onRefused = giveUp;
      // Not silent, and the app comes back afterwards.
      installer.quitAndInstall(false, true);
    } catch (cause) {
      await giveUp(cause);
    }
  };

  const undoPreparation = async (before: UpdateRecord): Promise<void> => {
    try {
      file.write(before);
      await forgetServers(keptFolder, before.phase === 'gone-back' ? before.kept : undefined);
    } catch (cause) {
      onLog(`update: ${messageOf(cause)}`);
    }
  };

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    look: () => alone(async () => (updater === null ? undefined : lookNow(updater))),
    install: () =>
      alone(async () => (updater === null || state.kind !== 'ready' ? undefined : installNow(updater, state.version))),
  };
}

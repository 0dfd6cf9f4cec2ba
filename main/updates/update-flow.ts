import type { AppUpdater } from 'electron-updater';
import { messageOf } from '../../server/wire/values.ts';
import type { Parts } from '../server/installation.ts';
import type { StopOutcome } from '../server/process.ts';
import type { Texts } from '../texts/en.ts';
import type { UpdateFile } from './update-file.ts';
import { isOffered, type UpdateRecord, type UpdateNotice } from './rules.ts';
import { removePreservedServers, preserveServer, findMissingSpace, type Copies } from './server-copies.ts';

/** The used part of electron-updater. */
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

/** State of an update, for the menu. */
export type UpdateState =
  | { readonly kind: 'unavailable'; readonly why: string }
  | { readonly kind: 'idle' }
  | { readonly kind: 'checking' }
  | { readonly kind: 'newest' }
  | { readonly kind: 'loading'; readonly version: string; readonly percent: number }
  /** Downloaded and verified. Installed only on the owner's request. */
  | { readonly kind: 'ready'; readonly version: string }
  | { readonly kind: 'preparing'; readonly version: string }
  | { readonly kind: 'installing'; readonly version: string }
  | { readonly kind: 'failed'; readonly notice: UpdateNotice };

export type Question = UpdateNotice & { readonly yes: string; readonly no: string };

export type Updates = {
  state(): UpdateState;
  /** Subscribes to state changes. Returns a function that unsubscribes. */
  subscribe(listener: (state: UpdateState) => void): () => void;
  /**
   * Checks for a newer version on the owner's request. Downloads and installs it only after confirmation of each
   * step. Never rejects.
   */
  check(): Promise<void>;
  /** Installs the downloaded version after confirmation. Never rejects. */
  install(): Promise<void>;
};

/**
 * Creates the update flow. The owner confirms each step: check, download, installation. Before the installer runs,
 * the server is stopped in order, the database is copied, and the server of this version is kept beside the app
 * (docs/adr/0023).
 * @param parts `updater`: null without an update source
 */
export function createUpdates(parts: {
  readonly updater: Updater | null;
  readonly version: string;
  readonly file: UpdateFile;
  /** The running parts. After a rollback these are the previous server's, not those of this app. */
  readonly running: Parts;
  readonly home: string;
  readonly keptFolder: string;
  readonly copies: Copies;
  readonly server: { stop(): Promise<StopOutcome>; start(): void };
  /** Resolves with false for no and for a closed question. */
  readonly ask: (question: Question) => Promise<boolean>;
  readonly texts: Texts;
  readonly onLog?: (line: string) => void;
}): Updates {
  const { updater, version, file, running, home, keptFolder, copies, server, ask } = parts;
  const onLog = parts.onLog ?? (() => {});
  const { updates: updateTexts } = parts.texts;
  const listeners = new Set<(state: UpdateState) => void>();
  let state: UpdateState = updater === null ? { kind: 'unavailable', why: updateTexts.noPlace } : { kind: 'idle' };
  let busy = false;
  /** Handles a failure of the installer while it runs. */
  let onRefused: ((cause: unknown) => Promise<void>) | null = null;
  const setState = (next: UpdateState): void => {
    state = next;
    for (const listener of listeners) listener(next);
  };
  const fail = (message: string, cause: unknown): void => {
    const detail = messageOf(cause);
    onLog(`update: ${detail}`);
    setState({ kind: 'failed', notice: { message, detail: updateTexts.failedText(detail.slice(0, 500)) } });
  };

  if (updater !== null) {
    // Its defaults would download updates at once and install them on quit.
    updater.autoDownload = false;
    updater.autoInstallOnAppQuit = false;
    updater.allowDowngrade = false;
    updater.allowPrerelease = false;
    updater.disableWebInstaller = true;
    updater.logger = null;
    updater.on('error', (error) => {
      onLog(`update: ${error.message}`);
      // E.g. the owner does not enter the system password. Without this handler the PDA would stay stopped.
      void onRefused?.(error);
    });
    updater.on('download-progress', ({ percent }) => {
      if (state.kind === 'loading') setState({ ...state, percent: Math.round(percent) });
    });
  }

  /** Runs one operation at a time: further clicks on the menu, or clicks while the installer runs, have no effect. */
  const alone = async (work: () => Promise<void>): Promise<void> => {
    if (busy || state.kind === 'installing') return;
    busy = true;
    try {
      await work();
    } finally {
      busy = false;
    }
  };

  const load = async (from: Updater, offeredVersion: string): Promise<void> => {
    const isConfirmed = await ask({
      message: updateTexts.found(offeredVersion),
      detail: updateTexts.foundText(version),
      yes: updateTexts.load,
      no: updateTexts.notNow,
    });
    if (!isConfirmed) return setState({ kind: 'idle' });
    setState({ kind: 'loading', version: offeredVersion, percent: 0 });
    try {
      await from.downloadUpdate();
    } catch (cause) {
      return fail(updateTexts.notLoaded(offeredVersion), cause);
    }
    setState({ kind: 'ready', version: offeredVersion });
    await installNow(from, offeredVersion);
  };

  const checkNow = async (from: Updater): Promise<void> => {
    setState({ kind: 'checking' });
    let offeredVersion: string | undefined;
    try {
      offeredVersion = (await from.checkForUpdates())?.updateInfo.version;
    } catch (cause) {
      return fail(updateTexts.notLooked, cause);
    }
    if (offeredVersion === undefined || !isOffered(offeredVersion, version, file.read()))
      return setState({ kind: 'newest' });
    await load(from, offeredVersion);
  };

  const installNow = async (installer: Updater, to: string): Promise<void> => {
    const isConfirmed = await ask({
      message: updateTexts.install(to),
      detail: updateTexts.installText,
      yes: updateTexts.installYes,
      no: updateTexts.later,
    });
    if (!isConfirmed) return setState({ kind: 'ready', version: to });
    setState({ kind: 'preparing', version: to });
    // If this cannot be determined, the following copy reports a full disk.
    const missing = await findMissingSpace(running, home, keptFolder).catch(() => null);
    if (missing !== null) return fail(updateTexts.notInstalled(to), updateTexts.noRoom(missing.required, missing.free));
    const before = file.read();
    const from = before.phase === 'gone-back' ? before.from : version;
    const stop = await server.stop();
    const abandon = async (cause: unknown): Promise<void> => {
      onRefused = null;
      await undoPreparation(before);
      server.start();
      fail(updateTexts.notInstalled(to), cause);
    };
    try {
      // The database file is complete only after an orderly stop.
      if (stop.kind === 'cut-off' || stop.kind === 'badly') throw new Error(updateTexts.notStopped);
      const preservedFolder = await preserveServer(running, keptFolder, from);
      const copy = `before-${to}`;
      onLog(`update: ${await copies.make(running, copy)}`);
      file.write({ phase: 'installing', from, to, kept: preservedFolder, copy });
      setState({ kind: 'installing', version: to });
      onRefused = abandon;
      // Not silent, and the app restarts afterwards.
      installer.quitAndInstall(false, true);
    } catch (cause) {
      await abandon(cause);
    }
  };

  const undoPreparation = async (before: UpdateRecord): Promise<void> => {
    try {
      file.write(before);
      await removePreservedServers(keptFolder, before.phase === 'gone-back' ? before.kept : undefined);
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
    check: () => alone(async () => (updater === null ? undefined : checkNow(updater))),
    install: () =>
      alone(async () => (updater === null || state.kind !== 'ready' ? undefined : installNow(updater, state.version))),
  };
}

import type { AppUpdater } from 'electron-updater';
import { messageOf } from '../../server/wire/values.ts';
import type { Installation } from '../server/installation.ts';
import type { StopOutcome } from '../server/process.ts';
import type { Texts } from '../texts/en.ts';
import type { UpdateFile } from './update-file.ts';
import { shouldOffer, type UpdateRecord, type UpdateNotice } from './rules.ts';
import { removePreservedServers, preserveServer, findMissingSpace, type DatabaseCopies } from './server-copies.ts';

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

export type UpdateState =
  | { readonly kind: 'unavailable'; readonly reason: string }
  | { readonly kind: 'idle' }
  | { readonly kind: 'checking' }
  | { readonly kind: 'up-to-date' }
  | { readonly kind: 'downloading'; readonly version: string }
  /** Downloaded and verified. Installed only on the owner's request. */
  | { readonly kind: 'ready'; readonly version: string }
  | { readonly kind: 'preparing'; readonly version: string }
  | { readonly kind: 'installing'; readonly version: string }
  | { readonly kind: 'failed'; readonly notice: UpdateNotice };

/** A yes-or-no question. `yes`, `no`: labels of its buttons. */
export type Question = UpdateNotice & { readonly yes: string; readonly no: string };

export type UpdateFlow = {
  state(): UpdateState;
  subscribe(listener: (state: UpdateState) => void): () => void;
  /**
   * Checks for a newer version. Downloads and installs it only after the owner has confirmed each step. Never rejects.
   */
  check(): Promise<void>;
  install(): Promise<void>;
};

const MAX_DETAIL_CHARS = 500;

/**
 * Creates the update flow. The owner starts the check and confirms the download and the installation. Before the
 * installer runs, the server is shut down cleanly, the database is copied, and the server of this version is preserved
 * (docs/adr/0023).
 * @param options `updater`: null without an update source
 */
export function createUpdateFlow(options: {
  readonly updater: Updater | null;
  readonly version: string;
  readonly file: UpdateFile;
  /** Installation from which the server runs: after a rollback the preserved installation, otherwise the app's own. */
  readonly running: Installation;
  readonly home: string;
  readonly preservedServersFolder: string;
  readonly copies: DatabaseCopies;
  readonly server: { stop(): Promise<StopOutcome>; start(): void };
  readonly askOwner: (question: Question) => Promise<boolean>;
  readonly texts: Texts;
  readonly onLog?: (line: string) => void;
}): UpdateFlow {
  const { updater, version, file, running, home, preservedServersFolder, copies, server, askOwner } = options;
  const onLog = options.onLog ?? (() => {});
  const { updates: updateTexts } = options.texts;
  const listeners = new Set<(state: UpdateState) => void>();
  let state: UpdateState = updater === null ? { kind: 'unavailable', reason: updateTexts.noSource } : { kind: 'idle' };
  let isBusy = false;
  /** Handles an error of the installer while it runs; null at other times. */
  let onInstallerError: ((cause: unknown) => Promise<void>) | null = null;
  const setState = (next: UpdateState): void => {
    state = next;
    for (const listener of listeners) listener(next);
  };
  const fail = (message: string, cause: unknown): void => {
    const detail = messageOf(cause);
    onLog(`update: ${detail}`);
    setState({
      kind: 'failed',
      notice: { message, detail: updateTexts.failedText(detail.slice(0, MAX_DETAIL_CHARS)) },
    });
  };

  if (updater !== null) {
    // By default, electron-updater downloads updates immediately and installs them on quit.
    updater.autoDownload = false;
    updater.autoInstallOnAppQuit = false;
    updater.allowDowngrade = false;
    updater.allowPrerelease = false;
    updater.disableWebInstaller = true;
    updater.logger = null;
    updater.on('error', (error) => {
      onLog(`update: ${error.message}`);
      // For example, the owner did not enter the system password. Without this handler, the PDA would stay stopped.
      void onInstallerError?.(error);
    });
  }

  const runUnlessBusy = async (work: () => Promise<void>): Promise<void> => {
    if (isBusy || state.kind === 'installing') return;
    isBusy = true;
    try {
      await work();
    } finally {
      isBusy = false;
    }
  };

  const offerDownload = async (activeUpdater: Updater, offeredVersion: string): Promise<void> => {
    const isConfirmed = await askOwner({
      message: updateTexts.available(offeredVersion),
      detail: updateTexts.availableText(version),
      yes: updateTexts.download,
      no: updateTexts.notNow,
    });
    if (!isConfirmed) return setState({ kind: 'idle' });
    setState({ kind: 'downloading', version: offeredVersion });
    try {
      await activeUpdater.downloadUpdate();
    } catch (cause) {
      return fail(updateTexts.downloadFailed(offeredVersion), cause);
    }
    setState({ kind: 'ready', version: offeredVersion });
    await offerInstallation(activeUpdater, offeredVersion);
  };

  const checkNow = async (activeUpdater: Updater): Promise<void> => {
    setState({ kind: 'checking' });
    let offeredVersion: string | undefined;
    try {
      offeredVersion = (await activeUpdater.checkForUpdates())?.updateInfo.version;
    } catch (cause) {
      return fail(updateTexts.checkFailed, cause);
    }
    if (offeredVersion === undefined || !shouldOffer(offeredVersion, version, file.read()))
      return setState({ kind: 'up-to-date' });
    await offerDownload(activeUpdater, offeredVersion);
  };

  const offerInstallation = async (activeUpdater: Updater, to: string): Promise<void> => {
    const isConfirmed = await askOwner({
      message: updateTexts.install(to),
      detail: updateTexts.installText,
      yes: updateTexts.installButton,
      no: updateTexts.later,
    });
    if (!isConfirmed) return setState({ kind: 'ready', version: to });
    setState({ kind: 'preparing', version: to });
    // If the space cannot be determined, the copy below reports a full disk.
    const missingSpace = await findMissingSpace(running, home, preservedServersFolder).catch(() => null);
    if (missingSpace !== null)
      return fail(updateTexts.notInstalled(to), updateTexts.notEnoughSpace(missingSpace.required, missingSpace.free));
    const previousRecord = file.read();
    const from = previousRecord.phase === 'gone-back' ? previousRecord.from : version;
    const stopOutcome = await server.stop();
    const abandon = async (cause: unknown): Promise<void> => {
      onInstallerError = null;
      await undoPreparation(previousRecord);
      server.start();
      fail(updateTexts.notInstalled(to), cause);
    };
    try {
      // The database file is complete only after a clean stop.
      if (stopOutcome.kind === 'killed-after-timeout' || stopOutcome.kind === 'unclean')
        throw new Error(updateTexts.notStopped);
      const preservedServer = await preserveServer(running, preservedServersFolder, from);
      const copy = `before-${to}`;
      onLog(`update: ${await copies.create(running, copy)}`);
      file.write({ phase: 'installing', from, to, preservedServer, copy });
      setState({ kind: 'installing', version: to });
      onInstallerError = abandon;
      // isSilent: false; isForceRunAfter: true, so that the app restarts.
      activeUpdater.quitAndInstall(false, true);
    } catch (cause) {
      await abandon(cause);
    }
  };

  const undoPreparation = async (previousRecord: UpdateRecord): Promise<void> => {
    try {
      file.write(previousRecord);
      await removePreservedServers(
        preservedServersFolder,
        previousRecord.phase === 'gone-back' ? previousRecord.preservedServer : undefined,
      );
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
    check: () => runUnlessBusy(async () => (updater === null ? undefined : checkNow(updater))),
    install: () =>
      runUnlessBusy(async () =>
        updater === null || state.kind !== 'ready' ? undefined : offerInstallation(updater, state.version),
      ),
  };
}

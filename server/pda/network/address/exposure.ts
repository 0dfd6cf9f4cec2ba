import { networkInterfaces } from 'node:os';
import { backoffMsOf, withJitter } from '../../../platform/async/backoff.ts';
import { createMutex } from '../../../platform/async/mutex.ts';
import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { HttpServer } from '../../../platform/http/application.ts';
import type { ConnectionOrigin } from '../../../platform/http/listener.ts';
import type { Log } from '../../../platform/log.ts';
import type { SigningKey } from '../../../platform/auth/tokens.ts';
import { intermediaryHost } from '../../../platform/tunnel/address.ts';
import type { Timers } from '../../../platform/tunnel/timers.ts';
import type { Exposure, ExposureState } from '../../../wire/exposure.ts';
import { messageOf } from '../../../wire/values.ts';
import type { AccountEvent } from '../../identity/owner/service.ts';
import type { Transaction } from '../../storage/index.ts';
import type { Prober, ProbeTarget } from './reachability/probe.ts';
import { createReachabilityMonitor } from './reachability/monitor.ts';
import type { PublicListener } from './transport/public-listener.ts';
import { exposureStateOf, isTunnelReady, passwordRefusedFailure, wrongPortFailure } from './rules.ts';
import type { ChangeSource, ExposureService } from './service.ts';
import { publicUrlOf, type AccessMode, type ExposureSettings } from './settings.ts';
import type { Tunnel, TunnelOptions } from './transport/tunnel.ts';
import { toExposure } from './view.ts';
import { createReadiness } from './reachability/readiness.ts';
import { addressesOf, watchEnvironment } from './reachability/environment-watch.ts';

const PROBE_TIMEOUT_MS = 10_000;
/** Time limit of a probe while the address is dark. It is short, because normally nothing responds. */
const DARK_PROBE_TIMEOUT_MS = 1000;
const TUNNEL_CLOSE_MS = 500;
const PROBE_INTERVAL_MS = 900_000;
const PROBE_RETRY_MS = 60_000;
/** While another server responds at the address, the interval between probes grows to `longestMs`. */
const IMPOSTOR_BACKOFF = { firstMs: PROBE_RETRY_MS, longestMs: 3_600_000 };
/** Delay of a probe of the owner's own address after a start or sleep: its proxy may start after this program. */
const OWN_ADDRESS_PROBE_DELAY_MS = 10_000;
const TUNNEL_READY_TIMEOUT_MS = 5000;

export const createExposure = (parts: {
  settings: ExposureSettings;
  /** Returns undefined before the set-up. */
  ownerName: () => string | undefined;
  keys: () => readonly SigningKey[];
  http: () => Pick<HttpServer, 'acceptConnection' | 'remoteConnectionCount' | 'closeRemoteConnections'>;
  publicListener: Pick<PublicListener, 'url'>;
  ownAddresses: { isLocal(host: string): boolean; loopback(): string | undefined };
  setAddress: (url: string | undefined) => void;
  onAddressChange: () => void;
  onChange: () => void;
  onReachable: () => void;
  recordEvent: (tx: Transaction, event: AccountEvent) => void;
  countOpen: (session: string) => Exposure['open'];
  createTunnel: (options: TunnelOptions) => Promise<Tunnel>;
  createProber: () => Promise<Prober>;
  timers: Timers;
  clock: Clock;
  log: Log;
  random: () => number;
}) => {
  const { settings, timers, clock, log, random, publicListener, ownAddresses } = parts;
  let mode: AccessMode = settings.mode();
  let url = publicUrlOf(mode, parts.ownerName());
  /** Public host[:port], cached because each request needs it. */
  let host: string | undefined;
  let isDark = settings.darkSince() !== null;
  let tunnel: Tunnel | undefined;
  /** Reason why the last attempt to set up the tunnel failed. */
  let setUpProblem: string | undefined;
  let isStarted = false;
  let isClosed = false;
  let generation = 0;
  let stopEnvironmentWatch: (() => void) | undefined;
  let terms: string | null = null;
  let lastState: { state: ExposureState; since: number } | undefined;
  let impostorProbes = 0;

  const setAddress = (address: string | undefined): void => {
    url = address;
    host = address === undefined ? undefined : new URL(address).host.toLowerCase();
    parts.setAddress(address);
  };
  setAddress(url);

  /** Returns true if a proxy must forward to the public port. A public URL on this computer uses the owner's port. */
  const isForwarded = (): boolean => mode.way === 'own' && host !== undefined && !ownAddresses.isLocal(host);

  const target = (): Omit<ProbeTarget, 'timeoutMs'> | undefined =>
    url === undefined
      ? undefined
      : {
          url,
          spki: tunnel?.spki,
          loopbackHost: isForwarded() ? ownAddresses.loopback() : undefined,
          publicListenerUrl: publicListener.url(),
        };

  const currentState = () =>
    exposureStateOf({
      way: mode.way,
      hasAddress: url !== undefined,
      isDark,
      hasImpostor: mode.way !== 'own' && monitor.hasImpostor(),
      tunnel: setUpProblem === undefined ? tunnel?.status() : { phase: 'failed', problem: setUpProblem },
      probe: monitor.currentProbe(),
    });

  const adoptTunnelAddress = (): void => {
    const address = tunnel?.status().address;
    if (address === undefined || address === url) return;
    setAddress(address);
    parts.onAddressChange();
  };

  const update = (): void => {
    adoptTunnelAddress();
    const { state } = currentState();
    if (state !== lastState?.state) {
      if (lastState !== undefined) log.info({ state }, 'the state of the public address changed');
      lastState = { state, since: clock.now() };
      if (state === 'unproven' && isStarted) monitor.schedule(mode.way === 'own' ? OWN_ADDRESS_PROBE_DELAY_MS : 0);
      if (state === 'reachable' || state === 'readable') parts.onReachable();
      if (state === 'connecting' || state === 'certificate' || state === 'refused') monitor.invalidate();
    }
    readiness.check();
    parts.onChange();
  };

  const scheduleProbe = (ms: number): void => monitor.schedule(withJitter(ms, random()));
  const isReady = (): boolean => isTunnelReady(mode.way, tunnel?.status());
  const readiness = createReadiness(timers, () => isReady() || isClosed || tunnel?.status().phase === 'refused');

  const monitor = createReachabilityMonitor({
    createProber: parts.createProber,
    target,
    timers,
    onDue() {
      if (isClosed || isDark || url === undefined) return;
      void probeAddress().catch((error: unknown) => log.warn({ err: error }, 'probing the public address failed'));
    },
    onResult({ reached, impostor, problem, localAccess }) {
      if (localAccess) log.error({ url }, 'the proxy lets remote requests pass as local: change its configuration');
      if (isDark || isClosed) return;
      impostorProbes = impostor ? impostorProbes + 1 : 0;
      if (impostor && mode.way !== 'own') {
        log.error({ url, problem }, 'another server answers at the public address: closing the tunnel');
        parts.http().closeRemoteConnections();
        void tunnel?.close(TUNNEL_CLOSE_MS);
      }
      // localtunnel does not detect dead connections, and its server may have assigned the name to another client.
      if (!reached && lastState?.state === 'readable') tunnel?.wake();
      if (reached) scheduleProbe(PROBE_INTERVAL_MS);
      else monitor.schedule(backoffMsOf(impostorProbes + 1, { ...IMPOSTOR_BACKOFF, random: random() }));
      update();
    },
  });

  /**
   * Probes the address once its tunnel is ready. If the tunnel is not ready in time, schedules another attempt. Opens a
   * tunnel that failed or was closed because of an impostor.
   */
  const probeAddress = async (): Promise<void> => {
    if (setUpProblem !== undefined) await reconcile();
    if (setUpProblem !== undefined) return;
    if (mode.way !== 'own' || tunnel?.status().phase === 'failed') await tunnel?.open();
    if (mode.way !== 'own') {
      await readiness.wait(TUNNEL_READY_TIMEOUT_MS);
      if (!isReady()) {
        if (monitor.hasImpostor()) void tunnel?.close(TUNNEL_CLOSE_MS);
        scheduleProbe(PROBE_RETRY_MS);
        return;
      }
    }
    if (!isDark && url !== undefined) await monitor.probe(PROBE_TIMEOUT_MS);
  };

  const stopTunnel = async (ms: number): Promise<void> => {
    const oldTunnel = tunnel;
    tunnel = undefined;
    stopEnvironmentWatch?.();
    stopEnvironmentWatch = undefined;
    await oldTunnel?.dispose(ms);
  };

  const startTunnel = async (tunnelMode: TunnelOptions['mode'], name: string): Promise<void> => {
    const startGeneration = generation;
    const newTunnel = await parts.createTunnel({
      mode: tunnelMode,
      name,
      url,
      keys: parts.keys,
      acceptConnection: (socket, address) => parts.http().acceptConnection(socket, address),
      onChange: () => {
        if (startGeneration === generation && tunnel !== undefined) update();
      },
    });
    if (isClosed) return newTunnel.dispose(0);
    tunnel = newTunnel;
    stopEnvironmentWatch = watchEnvironment({
      clock,
      timers,
      addresses: () => addressesOf(networkInterfaces()),
      onChange(kind) {
        log.info({ kind }, 'this computer slept, or its clock or network changed');
        service.wake();
      },
    });
    await newTunnel.open();
    if (tunnel?.status().phase === 'failed') scheduleProbe(PROBE_RETRY_MS);
    if (newTunnel.spki === undefined) return;
    // Not awaited, because the authority may be slow or unreachable.
    newTunnel.terms?.().then(
      (address) => {
        if (tunnel !== newTunnel) return;
        terms = address;
        update();
      },
      (error: unknown) => log.info({ err: error }, 'the terms of the authority could not be read'),
    );
  };

  /** Returns true if a tunnel must be open. Before the set-up, only the owner's own address can be open. */
  const needsTunnel = (candidate: AccessMode): candidate is TunnelOptions['mode'] =>
    candidate.way === 'own' ? isForwarded() : candidate.way !== 'none' && parts.ownerName() !== undefined;

  const runInOrder = createMutex();
  let appliedSettings = '';
  const handleSetUpFailure = (error: unknown): void => {
    log.error({ err: error }, 'the tunnel could not be set up, retrying later');
    setUpProblem = `The tunnel could not be set up on this computer: ${messageOf(error)}.`;
    // Otherwise, the retry would skip these settings as already applied.
    appliedSettings = '';
    scheduleProbe(PROBE_RETRY_MS);
  };
  const apply = async (): Promise<void> => {
    if (isClosed) return;
    const newMode = settings.mode();
    const name = parts.ownerName();
    const isSameMode = JSON.stringify(newMode) === JSON.stringify(mode);
    const newUrl = newMode.way === 'localtunnel' && isSameMode ? url : publicUrlOf(newMode, name);
    const newSettings = JSON.stringify([newMode, publicUrlOf(newMode, name), isDark]);
    if (newSettings === appliedSettings) return;
    appliedSettings = newSettings;
    generation += 1;
    const hasUrlChanged = newUrl !== url;
    mode = newMode;
    setAddress(newUrl);
    terms = null;
    setUpProblem = undefined;
    if (hasUrlChanged) parts.onAddressChange();
    if (!isDark) monitor.reset();
    await stopTunnel(TUNNEL_CLOSE_MS);
    // Connections through the previous address must end with it.
    parts.http().closeRemoteConnections();
    if (isStarted && !isDark && needsTunnel(mode)) await startTunnel(mode, name ?? '').catch(handleSetUpFailure);
    update();
  };
  /** Applies the current settings. Calls run in order, so that the last settings win. */
  const reconcile = (): Promise<void> => {
    const work = runInOrder(apply);
    work.catch((error: unknown) => log.error({ err: error }, 'the public address could not be set up'));
    return work;
  };

  const createEventRecorder =
    (action: AccountEvent['action'], { address }: ChangeSource) =>
    (tx: Transaction): void =>
      parts.recordEvent(tx, { action, status: 200, reason: null, address });

  let darkChanges = 0;

  const service: ExposureService = {
    view(session) {
      const { state, problem } = currentState();
      return toExposure({
        mode,
        fixed: settings.isFixed,
        url,
        name: parts.ownerName() ?? '',
        publicListenerUrl: isForwarded() ? publicListener.url() : undefined,
        dark: isDark,
        darkSince: settings.darkSince(),
        state,
        since: lastState?.since,
        problem,
        tunnel: tunnel?.status(),
        visitors: parts.http().remoteConnectionCount(),
        probe: monitor.lastProbe(),
        terms,
        open: parts.countOpen(session),
      });
    },

    summary: () => ({
      state: currentState().state,
      address: url ?? null,
      readableBy: mode.way === 'localtunnel' ? intermediaryHost(mode) : null,
    }),

    // A localtunnel server terminates TLS and appends the client's address.
    proxyCount: () => (mode.way === 'localtunnel' ? 1 : 0),

    requirePasswordAllowed(requestHost) {
      if (mode.way !== 'localtunnel' || mode.passwordSignIn || requestHost !== host) return;
      throw passwordRefusedFailure(intermediaryHost(mode));
    },

    wake() {
      monitor.invalidate();
      tunnel?.wake();
      if (monitor.hasImpostor()) monitor.schedule(0);
      // A tunnel that reconnects reports its state afterwards, but if it has just done so, it ignores this call.
      else if (isReady()) {
        monitor.schedule(mode.way === 'own' ? OWN_ADDRESS_PROBE_DELAY_MS : 0);
        update();
      }
    },

    async change(change, source) {
      await settings.change(change, createEventRecorder('address-change', source));
      await reconcile();
    },

    async goDark(source) {
      // Closed before the change is stored, because storing may fail.
      isDark = true;
      monitor.invalidate();
      parts.http().closeRemoteConnections();
      void tunnel?.close(TUNNEL_CLOSE_MS);
      darkChanges += 1;
      const [, storeResult] = await Promise.allSettled([
        reconcile(),
        settings.setDark(clock.now(), createEventRecorder('go-dark', source)),
      ]);
      if (storeResult.status === 'rejected') throw storeResult.reason;
      if (url !== undefined) await monitor.probe(DARK_PROBE_TIMEOUT_MS);
      update();
    },

    async reopen(source) {
      darkChanges += 1;
      const changeNumber = darkChanges;
      await settings.setDark(null, createEventRecorder('go-light', source));
      // A later call of goDark or reopen takes precedence.
      if (changeNumber !== darkChanges) return;
      isDark = false;
      await reconcile();
    },

    async probe() {
      if (url === undefined)
        throw new Failure(
          'wrong_state',
          mode.way === 'none'
            ? 'This PDA has no public address. Choose one in Settings, Address.'
            : 'This PDA has no public address yet. Try again when the tunnel is connected.',
        );
      if (isDark) await monitor.probe(DARK_PROBE_TIMEOUT_MS);
      else {
        if (tunnel?.status().phase !== 'up') tunnel?.wake();
        await probeAddress();
      }
      update();
    },
  };

  return {
    service,
    /**
     * Returns true if a connection of this origin may request this host. Also records the arrival of a probe.
     * @throws Failure misdirected_request if a proxy forwards to the owner's port
     */
    accepts(requestHost: string, probeSecret: string | string[] | undefined, origin: ConnectionOrigin): boolean {
      if (origin === 'own') {
        const isLocal = ownAddresses.isLocal(requestHost);
        const localArrival = requestHost === host ? 'publicPort' : 'loopbackHost';
        if (probeSecret !== undefined) monitor.recordArrival(probeSecret, isLocal ? localArrival : 'ownPort');
        if (!isLocal && requestHost === host && isForwarded() && !isDark) throw wrongPortFailure(publicListener.url());
        return isLocal;
      }
      if (isDark || requestHost !== host) return false;
      if ((origin === 'tunnel') !== (mode.way === 'tunnel')) return false;
      const isProbe = probeSecret !== undefined && monitor.recordArrival(probeSecret, 'publicPort');
      return isProbe || !(mode.way !== 'own' && monitor.hasImpostor());
    },
    reconcile,
    start(): Promise<void> {
      isStarted = true;
      appliedSettings = '';
      return reconcile();
    },
    async close(): Promise<void> {
      isClosed = true;
      monitor.close();
      readiness.check();
      // Waits for changes in progress.
      await runInOrder(() => Promise.resolve());
      await stopTunnel(TUNNEL_CLOSE_MS);
    },
  };
};

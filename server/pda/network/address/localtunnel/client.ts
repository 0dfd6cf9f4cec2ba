import { Worker } from 'node:worker_threads';
import type { Clock } from '../../../../platform/clock.ts';
import type { Log } from '../../../../platform/log.ts';
import { threadEnvironment } from '../../../../platform/workers/thread-environment.ts';
import { reconnectDelayMs } from '../../../../platform/tunnel/reconnect-backoff.ts';
import type { Timers } from '../../../../platform/tunnel/timers.ts';
import { toSingleLine } from '../../../../platform/outbound/foreign-text.ts';
import type { LocaltunnelMessage, LocaltunnelTask } from './client-thread.ts';
import type { PublicListener } from '../transport/public-listener.ts';
import type { AccessMode } from '../settings.ts';
import type { Tunnel, TunnelStatus } from '../transport/tunnel.ts';

export type LocaltunnelParts = {
  mode: Extract<AccessMode, { way: 'localtunnel' }>;
  /** Listener on the public port, to which the tunnel forwards. Must not be the owner's port. */
  listener: PublicListener;
  onChange: () => void;
  timers: Timers;
  clock: Clock;
  log: Log;
  random: () => number;
};

/** After this time, a tunnel is considered stable, so the next failure restarts the back-off. */
const STABLE_AFTER_MS = 30_000;
const THREAD_LIMITS = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 64 };

/**
 * Creates a tunnel through a localtunnel server. The server terminates TLS, so it can read all traffic. It assigns each
 * name to the first client that requests it.
 */
export const createLocaltunnel = (parts: LocaltunnelParts): Tunnel => {
  const { mode, listener, timers, clock, log, random, onChange } = parts;
  let phase: TunnelStatus['phase'] = 'connecting';
  let problem: string | null = null;
  let attempts = 0;
  let failures = 0;
  let downSince = clock.now();
  let upSince: number | undefined;
  let nextAttemptAt: number | null = null;
  let address: string | undefined;
  let thread: Worker | undefined;
  let cancelRetry: () => void = () => undefined;
  let isOpen = false;

  const stopThread = async (): Promise<void> => {
    cancelRetry();
    nextAttemptAt = null;
    upSince = undefined;
    const oldThread = thread;
    thread = undefined;
    await oldThread?.terminate();
  };

  const onFailure = (newPhase: 'connecting' | 'refused', reason: string): void => {
    const now = clock.now();
    if (upSince !== undefined) {
      downSince = now;
      if (now - upSince >= STABLE_AFTER_MS) [failures, attempts] = [0, 0];
    }
    void stopThread();
    failures += 1;
    phase = newPhase;
    problem = toSingleLine(reason);
    if (failures === 1) log.info({ host: mode.host, problem }, 'not connected to the localtunnel server');
    const delayMs = reconnectDelayMs(failures, now - downSince, random());
    nextAttemptAt = now + delayMs;
    cancelRetry = timers.schedule(delayMs, startThread);
    onChange();
  };

  const onMessage = (message: LocaltunnelMessage): void => {
    if (message.kind !== 'up') {
      onFailure(message.kind === 'refused' ? 'refused' : 'connecting', message.problem);
      return;
    }
    phase = 'up';
    problem = null;
    attempts = 0;
    upSince = clock.now();
    address = message.address;
    log.warn({ host: mode.host, address }, 'reachable through a localtunnel server, which can read all traffic');
    onChange();
  };

  const startThread = (): void => {
    const { port } = new URL(listener.url() ?? '');
    const task: LocaltunnelTask = { host: mode.host, subdomain: mode.subdomain, port: Number(port) };
    const newThread = new Worker(new URL('./client-thread.ts', import.meta.url), {
      env: threadEnvironment(),
      workerData: task,
      resourceLimits: THREAD_LIMITS,
    });
    thread = newThread;
    nextAttemptAt = null;
    attempts += 1;
    const ifCurrent =
      <T>(work: (value: T) => void) =>
      (value: T): void => {
        if (thread === newThread) work(value);
      };
    newThread.on('message', ifCurrent(onMessage));
    const onEnd = (reason: unknown): void =>
      onFailure('connecting', `The localtunnel client ended (${String(reason)}).`);
    newThread.on('error', ifCurrent(onEnd));
    newThread.on('exit', ifCurrent(onEnd));
    newThread.unref();
    onChange();
  };

  const close = async (): Promise<void> => {
    isOpen = false;
    phase = 'connecting';
    await Promise.all([stopThread(), listener.close()]);
  };

  return {
    async open() {
      if (isOpen) return;
      isOpen = true;
      await listener.open({ preconnected: true });
      if (!isOpen) return;
      problem = listener.problem();
      phase = problem === null ? 'connecting' : 'failed';
      isOpen = problem === null;
      if (isOpen) startThread();
      else onChange();
    },
    close,
    dispose: close,
    status: () => ({ phase, problem, attempts, nextAttempt: nextAttemptAt, address }),
    wake() {
      if (!isOpen || (phase !== 'up' && nextAttemptAt === null)) return;
      void stopThread();
      if (phase === 'up') phase = 'connecting';
      startThread();
    },
  };
};

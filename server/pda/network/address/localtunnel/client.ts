import { Worker } from 'node:worker_threads';
import type { Clock } from '../../../../platform/clock.ts';
import type { Log } from '../../../../platform/log.ts';
import { threadEnvironment } from '../../../../platform/workers/thread-environment.ts';
import { nextTry } from '../../../../platform/tunnel/reconnect-backoff.ts';
import type { Timers } from '../../../../platform/tunnel/timers.ts';
import { words } from '../../../../platform/outbound/foreign-text.ts';
import type { LocaltunnelMessage, LocaltunnelTask } from './client-thread.ts';
import type { PublicListener } from '../transport/public-listener.ts';
import type { Way } from '../settings.ts';
import type { Tunnel, TunnelStatus } from '../transport/tunnel.ts';

export type LocaltunnelParts = {
  way: Extract<Way, { way: 'localtunnel' }>;
  /** Visitors are led there, never to the port that the owner uses. */
  listener: PublicListener;
  onChange: () => void;
  timers: Timers;
  clock: Clock;
  log: Log;
  /** From 0 to 1. */
  random: () => number;
};

/** Milliseconds after which a tunnel counts as one that holds: the next failure starts the back-off anew. */
const STEADY_MS = 30_000;
const THREAD_LIMITS = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 64 };

/** A name at a localtunnel server. The server ends TLS: it reads everything, and gives the name to whoever asks first. */
export const createLocaltunnel = (parts: LocaltunnelParts): Tunnel => {
  const { way, listener, timers, clock, log, random, onChange } = parts;
  let phase: TunnelStatus['phase'] = 'connecting';
  let problem: string | null = null;
  let tries = 0;
  let failures = 0;
  let goneSince = clock.now();
  let upSince: number | undefined;
  let nextAt: number | null = null;
  let address: string | undefined;
  let thread: Worker | undefined;
  let leaveTry: () => void = () => undefined;
  let isOpen = false;

  const stopThread = async (): Promise<void> => {
    leaveTry();
    nextAt = null;
    upSince = undefined;
    const ending = thread;
    thread = undefined;
    await ending?.terminate();
  };

  const lost = (to: 'connecting' | 'refused', why: string): void => {
    const now = clock.now();
    if (upSince !== undefined) {
      goneSince = now;
      if (now - upSince >= STEADY_MS) [failures, tries] = [0, 0];
    }
    void stopThread();
    failures += 1;
    phase = to;
    problem = words(why);
    if (failures === 1) log.info({ host: way.host, problem }, 'the localtunnel server is not connected');
    const wait = nextTry(failures, now - goneSince, random());
    nextAt = now + wait;
    leaveTry = timers.after(wait, startThread);
    onChange();
  };

  const onMessage = (message: LocaltunnelMessage): void => {
    if (message.kind !== 'up') {
      lost(message.kind === 'refused' ? 'refused' : 'connecting', message.problem);
      return;
    }
    phase = 'up';
    problem = null;
    tries = 0;
    upSince = clock.now();
    address = message.address;
    log.warn({ host: way.host, address }, 'reachable by way of a localtunnel server, which can read everything');
    onChange();
  };

  const startThread = (): void => {
    const { port } = new URL(listener.url() ?? '');
    const task: LocaltunnelTask = { host: way.host, subdomain: way.subdomain, port: Number(port) };
    const started = new Worker(new URL('./client-thread.ts', import.meta.url), {
      env: threadEnvironment(),
      workerData: task,
      resourceLimits: THREAD_LIMITS,
    });
    thread = started;
    nextAt = null;
    tries += 1;
    const ifCurrent =
      <T>(work: (value: T) => void) =>
      (value: T): void => {
        if (thread === started) work(value);
      };
    started.on('message', ifCurrent(onMessage));
    const onEnd = (why: unknown): void => lost('connecting', `The localtunnel client ended (${String(why)}).`);
    started.on('error', ifCurrent(onEnd));
    started.on('exit', ifCurrent(onEnd));
    started.unref();
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
      // Closed meanwhile.
      if (!isOpen) return;
      problem = listener.problem();
      phase = problem === null ? 'connecting' : 'failed';
      isOpen = problem === null;
      if (isOpen) startThread();
      else onChange();
    },
    close,
    dispose: close,
    status: () => ({ phase, problem, tries, nextTry: nextAt, address }),
    wake() {
      // An attempt is under way.
      if (!isOpen || (phase !== 'up' && thread !== undefined)) return;
      void stopThread();
      if (phase === 'up') phase = 'connecting';
      startThread();
    },
  };
};

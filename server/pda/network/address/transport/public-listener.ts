import type { HttpServer } from '../../../../platform/http/application.ts';
import type { Log } from '../../../../platform/log.ts';
import { messageOf, codeOf } from '../../../../wire/values.ts';

/**
 * The port to which the owner's proxy, a localtunnel client or another forwarder leads. It is separate from the port
 * that the owner uses on this computer: a forwarder may add no header, and then its connections look like the owner's.
 */
export type PublicListener = {
  /**
   * Opens the port if it is closed. Never throws: a failure is logged and returned by `problem`.
   * @param options `preconnected`: the forwarder keeps idle connections ready
   */
  open(options?: { preconnected: boolean }): Promise<void>;
  /** Frees the port and closes its connections. */
  close(): Promise<void>;
  /**
   * Address to which the proxy must point, e.g. `http://127.0.0.1:4001`; undefined before the port was first opened.
   */
  url(): string | undefined;
  /** Returns why the port could not be opened; null if it could. */
  problem(): string | null;
};

const LISTEN_HOST = '127.0.0.1';

/** Storage of the chosen public port. */
export type PublicPortSettings = {
  lastPublicPort(): number | undefined;
  rememberPublicPort(port: number): Promise<void>;
};

export const createPublicListener = (parts: {
  http: () => Pick<HttpServer, 'listenPublic' | 'closePublic'>;
  /** `publicPort` of config.json. Without this setting, a free port is chosen once and then reused. */
  fixedPort: number | undefined;
  settings: PublicPortSettings;
  log: Log;
}): PublicListener => {
  const { http, fixedPort, settings, log } = parts;
  let isOpen = false;
  let problem: string | null = null;
  const port = (): number | undefined => fixedPort ?? settings.lastPublicPort();
  const problemOf = (error: unknown): string =>
    codeOf(error) === 'EADDRINUSE'
      ? `Port ${port()} is in use by another program. End it, or set another publicPort in config.json.`
      : `Port ${port()} could not be opened: ${messageOf(error)}`;
  return {
    async open({ preconnected } = { preconnected: false }) {
      if (isOpen) return;
      try {
        // The port never changes: the proxy would still point to the previous one, which another program may use by
        // then.
        const address = await http().listenPublic({ port: port() ?? 0, host: LISTEN_HOST, preconnected });
        isOpen = true;
        problem = null;
        log.info({ port: address.port }, 'the public address is served on a separate port');
        await settings.rememberPublicPort(address.port).catch((error: unknown) => {
          log.warn({ err: error }, 'the public port could not be stored');
        });
      } catch (error) {
        problem = problemOf(error);
        log.error({ err: error }, 'the port of the public address could not be opened');
      }
    },
    async close() {
      isOpen = false;
      problem = null;
      await http().closePublic();
    },
    url: () => (port() === undefined ? undefined : `http://${LISTEN_HOST}:${port()}`),
    problem: () => problem,
  };
};

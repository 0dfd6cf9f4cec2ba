import type { HttpServer } from '../../../../platform/http/application.ts';
import type { Log } from '../../../../platform/log.ts';
import { messageOf, codeOf } from '../../../../wire/values.ts';

/**
 * Listener on the port to which the owner's proxy or the localtunnel client forwards requests. The port is separate
 * from the owner's port on this computer: otherwise, a request that is forwarded without a forwarding header would look
 * like the owner's.
 */
export type PublicListener = {
  /**
   * Opens the port. Never rejects: `problem` returns the reason for a failure.
   * @param options.preconnected whether the forwarder keeps idle connections ready
   */
  open(options?: { preconnected: boolean }): Promise<void>;
  close(): Promise<void>;
  /** Returns the target of the proxy, such as `http://127.0.0.1:4001`; undefined until a port has been chosen. */
  url(): string | undefined;
  problem(): string | null;
};

const LISTEN_HOST = '127.0.0.1';

export type PublicPortSettings = {
  lastPublicPort(): number | undefined;
  rememberPublicPort(port: number): Promise<void>;
};

export const createPublicListener = (parts: {
  http: () => Pick<HttpServer, 'listenPublic' | 'closePublic'>;
  /** `publicPort` of config.json. If undefined, a free port is chosen once and then reused. */
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
      ? `Port ${port()} is in use by another program. Close that program, or set a different publicPort in config.json.`
      : `Port ${port()} could not be opened: ${messageOf(error)}`;
  return {
    async open({ preconnected } = { preconnected: false }) {
      if (isOpen) return;
      try {
        // The port is reused: after a change, the proxy would still forward to the previous port, which another program
        // may use.
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

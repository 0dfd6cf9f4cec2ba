import type { HttpServer } from '../../../../platform/http/application.ts';
import type { Log } from '../../../../platform/log.ts';
import { messageOf, codeOf } from '../../../../wire/values.ts';

/**
 * The port that the owner's own proxy, a localtunnel client or any other forwarder leads to. It is separate from the port that the owner uses at this computer, because a
 * forwarder need not add a header: by its connections alone a visitor could not be told from the owner.
 */
export type PublicListener = {
  /**
   * Opens the port if it is closed. Never throws: a failure is logged, and `problem` says it.
   * @param options `preconnected`: the forwarder keeps idle connections ready for visitors
   */
  open(options?: { preconnected: boolean }): Promise<void>;
  /** Frees the port and closes its connections. */
  close(): Promise<void>;
  /** Where the proxy has to point, e.g. `http://127.0.0.1:4001`, also while the port is closed; undefined before it was first opened. */
  url(): string | undefined;
  /** Why the port could not be opened. */
  problem(): string | null;
};

const LISTEN_HOST = '127.0.0.1';

export type PublicPortSettings = {
  lastPublicPort(): number | undefined;
  rememberPublicPort(port: number): Promise<void>;
};

export const createPublicListener = (parts: {
  http: () => Pick<HttpServer, 'listenPublic' | 'closePublic'>;
  /** `publicPort` of config.json. Without it any free port is taken the first time, and the same one from then on. */
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
        // Never another port than the last one: the proxy would still point there, at whichever program has it now.
        const address = await http().listenPublic({ port: port() ?? 0, host: LISTEN_HOST, preconnected });
        isOpen = true;
        problem = null;
        log.info({ port: address.port }, 'the public address is served on a port of its own');
        await settings.rememberPublicPort(address.port).catch((error: unknown) => {
          log.warn({ err: error }, 'the public port could not be remembered');
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

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Ports below those that Linux (from 32768), macOS and Windows (from 49152) assign for port 0, so that no other program
 * is assigned the port before it is used.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;

/** Returns a port of 127.0.0.1 that nothing listens on, for programs that need their port as an argument. */
export const findFreePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    const server = createServer();
    const listening = once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.listen(port, '127.0.0.1');
    if (!(await listening)) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
};

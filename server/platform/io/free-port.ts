import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** These ports are below the ranges that Linux (from 32768) and other systems (from 49152) assign to programs. */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;

/** Returns a port of 127.0.0.1 on which no program listens, for programs that need their port as an argument. */
export const findFreePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1);
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

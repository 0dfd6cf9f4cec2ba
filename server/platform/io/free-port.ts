import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that Linux (32768), macOS and Windows (49152) hand out for port 0: no other program is given it meanwhile. */
const FIRST = 20_000;
const LAST = 32_000;

/** A port of 127.0.0.1 that nothing listens on, for programs that have to be told their port. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(FIRST, LAST);
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

import type Koa from 'koa';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export const listen = (app: Koa): void => {
  const server = createServer(app.callback());
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
  });
  process.once('SIGTERM', () => process.exit(0));
};

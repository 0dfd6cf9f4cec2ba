import { generateKeyPairSync } from 'node:crypto';
import { Agent, createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { send } from '../../tests/support/http.ts';
import { removeFolders, startRelay, type TestRelay } from '../../tests/support/relay.ts';
import type { RelayLimits } from '../relay/limits.ts';
import { startLead, type Lead } from './lead.ts';

let relay: TestRelay | undefined;
let lead: Lead | undefined;
let server: Server | undefined;
afterEach(async () => {
  await lead?.stop();
  server?.closeAllConnections();
  server?.close();
  await relay?.close();
  removeFolders();
});

const keyOf = () => generateKeyPairSync('rsa', { modulusLength: 2048 });

const start = async (answer: RequestListener, limits: Partial<RelayLimits> = {}) => {
  const listening = createServer(answer);
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const there = await startRelay({ limits });
  relay = there;
  const parts = {
    relay: { port: there.port, host: `localhost:${there.port}` },
    name: 'exchange',
    key: keyOf(),
    to: (listening.address() as AddressInfo).port,
  };
  const host = `exchange.${parts.relay.host}`;
  const ask = (path: string, body?: string) =>
    send(there.port, new Agent(), body === undefined ? 'GET' : 'POST', path, {
      headers: { host, connection: 'close' },
      ...(body === undefined ? {} : { body }),
    });
  lead = await startLead(parts);
  return { relay: there, parts, host, ask };
};

describe('a name that leads to a server of this machine', () => {
  it('passes on what is asked and answered as it is, also when many come at once', async () => {
    const { host, ask } = await start((request, response) => {
      let bytes = 0;
      request.on('data', (part: Buffer) => (bytes += part.length));
      request.on('end', () => response.end(JSON.stringify([request.headers.host, request.url, bytes])));
    });
    const body = 'x'.repeat(300_000);
    const replies = await Promise.all(Array.from({ length: 30 }, (_, at) => ask(`/${at}`, body)));
    expect(replies.map(({ json }) => json)).toStrictEqual(replies.map((_, at) => [host, `/${at}`, body.length]));
  });

  it('shows half an answer as half an answer', async () => {
    const { ask } = await start((_, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('half of it');
      setImmediate(() => response.destroy());
    });
    await expect(ask('/')).rejects.toThrow(/aborted|hang up|reset/iu);
  });

  it('comes back when the relay was away', async () => {
    const { relay: before, ask } = await start((_, response) => response.end('here'));
    expect((await ask('/')).text).toBe('here');
    await before.close();
    await expect(ask('/')).rejects.toThrow();
    relay = await startRelay({ home: before.home, port: before.port });
    await expect.poll(() => ask('/').then(({ text }) => text)).toBe('here');
  });

  it('is not given away: whoever has another key is told so', async () => {
    const { parts } = await start((_, response) => response.end('here'));
    await expect(startLead({ ...parts, key: keyOf() })).rejects.toThrow(/does not give us exchange: 403/u);
  });

  it('leads nowhere once it is stopped', async () => {
    // Nobody waits long for a line that does not come.
    const { ask } = await start((_, response) => response.end('here'), { visitorWaitMs: 500 });
    await lead?.stop();
    await expect.poll(() => ask('/').then(({ status }) => status)).toBe(503);
  });
});

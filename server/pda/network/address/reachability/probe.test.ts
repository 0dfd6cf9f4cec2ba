import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createProber, PROBE_HEADER } from './probe.ts';

it('reports the status of a failed request that arrived at the public port', async () => {
  const prober = createProber({
    lookup: (_hostname, _options, callback) => callback(null, '127.0.0.1', 4),
    trust: undefined,
    clock: { now: () => 0 },
  });
  const server = createServer((request, response) => {
    prober.recordArrival(request.headers[PROBE_HEADER], 'publicPort');
    response.writeHead(503).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const result = await prober.run({
    url: `http://${host}`,
    spki: undefined,
    loopbackHost: undefined,
    publicListenerUrl: undefined,
    timeoutMs: 10_000,
  });
  server.close();
  expect(result).toMatchObject({
    reached: false,
    impostor: false,
    problem: `The request arrived here, but ${host} answered 503.`,
  });
});

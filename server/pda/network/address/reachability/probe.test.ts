import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { isIPv6, type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, it } from 'vitest';
import { createSelfSigned } from '../../../../../tests/support/self-signed.ts';
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

const ownAddresses = new Set(
  Object.values(networkInterfaces()).flatMap((entries = []) => entries.map(({ address }) => address)),
);
/** Some computers have no IPv6. */
const loopbackAddresses = ['127.0.0.1', '::1'].filter((address) => ownAddresses.has(address));

it.each(loopbackAddresses)('reaches a server with a certificate for its IP address %s', async (address) => {
  const { cert, key } = await createSelfSigned(address);
  const prober = createProber({
    lookup: () => expect.fail('an IP address needs no lookup'),
    trust: [cert],
    clock: { now: () => 0 },
  });
  const server = createTlsServer({ cert, key }, (request, response) => {
    prober.recordArrival(request.headers[PROBE_HEADER], 'publicPort');
    response.end();
  }).listen(0, address);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const result = await prober.run({
    url: `https://${isIPv6(address) ? `[${address}]` : address}:${port}`,
    spki: undefined,
    loopbackHost: undefined,
    publicListenerUrl: undefined,
    timeoutMs: 10_000,
  });
  server.close();
  expect(result).toMatchObject({ reached: true, problem: null });
});

it('tells where the proxy must point if it points at the owner’s port, even if no public port is known', async () => {
  const prober = createProber({
    lookup: (_hostname, _options, callback) => callback(null, '127.0.0.1', 4),
    trust: undefined,
    clock: { now: () => 0 },
  });
  const server = createServer((request, response) => {
    prober.recordArrival(request.headers[PROBE_HEADER], 'ownPort');
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const result = await prober.run({
    url: `http://127.0.0.1:${port}`,
    spki: undefined,
    loopbackHost: undefined,
    publicListenerUrl: undefined,
    timeoutMs: 10_000,
  });
  server.close();
  expect(result).toMatchObject({
    reached: false,
    problem:
      'The proxy points at the port that is meant for this computer. Point the proxy at the port that Settings, Address shows.',
  });
});

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createListener, type Listener } from './listener.ts';

const HEADERS_TIMEOUT_MS = 100;
let listener: Listener;
afterEach(() => listener.close());

const openConnection = (port: number): { socket: Socket; received: () => string } => {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  let received = '';
  socket.on('data', (text: string) => (received += text));
  socket.on('error', () => undefined);
  return { socket, received: () => received };
};

it('a listener ignores connections that a forwarder opened in advance until their first byte arrives', async () => {
  listener = createListener((_request, response) => response.end('hello'), { headersMs: HEADERS_TIMEOUT_MS });
  const ownAddress = await listener.listen({ port: 0, host: '127.0.0.1' });
  const publicAddress = await listener.listenPublic({ port: 0, host: '127.0.0.1', preconnected: true });
  const preconnectedConnection = openConnection(publicAddress.port);
  await once(preconnectedConnection.socket, 'connect');
  // This connection is opened later but closed first.
  const ordinaryConnection = openConnection(ownAddress.port);
  await once(ordinaryConnection.socket, 'close');
  expect(ordinaryConnection.received()).toContain('400');
  expect(preconnectedConnection.received()).toBe('');
  expect(listener.remoteConnectionCount()).toBe(0);

  preconnectedConnection.socket.write('GET / HTTP/1.1\r\nhost: ada.example\r\n\r\n');
  await expect.poll(preconnectedConnection.received).toMatch(/^HTTP\/1\.1 200[^]*hello$/u);
  expect(listener.remoteConnectionCount()).toBe(1);
  const idleConnection = openConnection(publicAddress.port);
  await once(idleConnection.socket, 'connect');
  await listener.closePublic();
  await Promise.all(
    [preconnectedConnection, idleConnection].map(async ({ socket }) => socket.destroyed || once(socket, 'close')),
  );
});

it('closing a listener also closes connections that a forwarder opened in advance', async () => {
  listener = createListener((_request, response) => response.end());
  await listener.listen({ port: 0, host: '127.0.0.1' });
  const forwarded = await listener.listenPublic({ port: 0, host: '127.0.0.1', preconnected: true });
  const { socket } = openConnection(forwarded.port);
  await once(socket, 'connect');
  await listener.close();
  if (!socket.destroyed) await once(socket, 'close');
});

it('the signal of a request fires immediately if the client has already disconnected', async () => {
  const isAborted = Promise.withResolvers<boolean>();
  const requestReceived = Promise.withResolvers<void>();
  listener = createListener((request) => {
    requestReceived.resolve();
    request.socket.once('close', () => setImmediate(() => isAborted.resolve(listener.signal(request).aborted)));
  });
  const { port } = await listener.listen({ port: 0, host: '127.0.0.1' });
  const { socket } = openConnection(port);
  socket.write('GET / HTTP/1.1\r\nhost: ada.example\r\n\r\n');
  await requestReceived.promise;
  socket.destroy();
  expect(await isAborted.promise).toBe(true);
});

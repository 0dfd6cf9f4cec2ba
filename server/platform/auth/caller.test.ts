import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { callerOf } from './caller.ts';
import type { ConnectionOrigin } from '../http/listener.ts';

const isLocal = (
  host: string,
  address: string,
  headers: Record<string, string> = {},
  origin: ConnectionOrigin = 'own',
): boolean => {
  const request = new IncomingMessage(new Socket());
  Object.assign(request.headers, headers);
  return callerOf(request, {
    host,
    address,
    origin,
    requestId: 'r',
    signal: () => new AbortController().signal,
    cookie: () => undefined,
  }).local;
};

it("a loopback connection to the server's own port with a loopback host is local", () => {
  expect(isLocal('127.0.0.1:4000', '127.0.0.1')).toBe(true);
  expect(isLocal('localhost:4000', '::1')).toBe(true);
  expect(isLocal('localhost:4000', '::ffff:127.0.0.1')).toBe(true);
});

it('a connection of the public listener or the tunnel is never local, regardless of its headers', () => {
  for (const origin of ['public', 'tunnel'] as const)
    for (const host of ['127.0.0.1:4000', 'localhost:4000', '[::1]:4000'])
      expect([origin, host, isLocal(host, '127.0.0.1', {}, origin)]).toStrictEqual([origin, host, false]);
});

it('a request for another host, from another address or through a proxy is not local', () => {
  expect(isLocal('ada.example', '127.0.0.1')).toBe(false);
  expect(isLocal('127.0.0.1.evil.example', '127.0.0.1')).toBe(false);
  expect(isLocal('localhost:4000', '203.0.113.7')).toBe(false);
  for (const name of ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'])
    expect([name, isLocal('127.0.0.1:4000', '127.0.0.1', { [name]: '' })]).toStrictEqual([name, false]);
});

it('a request from a web page is local only if the origin of the page is this machine', () => {
  const isLocalWithOrigin = (origin: string): boolean => isLocal('127.0.0.1:4000', '127.0.0.1', { origin });
  for (const localOrigin of ['http://127.0.0.1:4000', 'http://localhost:5173', 'http://[::1]:4000'])
    expect([localOrigin, isLocalWithOrigin(localOrigin)]).toStrictEqual([localOrigin, true]);
  for (const remoteOrigin of [
    'https://evil.example',
    'http://127.0.0.1.evil.example',
    'http://192.168.1.7',
    'file://',
    'null',
    '',
  ])
    expect([remoteOrigin, isLocalWithOrigin(remoteOrigin)]).toStrictEqual([remoteOrigin, false]);
});

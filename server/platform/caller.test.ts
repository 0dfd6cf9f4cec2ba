import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { callerOf } from './caller.ts';

const isLocal = (host: string, address: string, headers: Record<string, string> = {}): boolean => {
  const request = new IncomingMessage(new Socket());
  Object.assign(request.headers, headers);
  return callerOf(request, { host, address, requestId: 'r', signal: () => new AbortController().signal }).local;
};

it('who calls from this machine by a name of this machine is at it', () => {
  expect(isLocal('127.0.0.1:4000', '127.0.0.1')).toBe(true);
  expect(isLocal('localhost:4000', '::1')).toBe(true);
  expect(isLocal('localhost:4000', '::ffff:127.0.0.1')).toBe(true);
});

it('nobody else is: by another name, from elsewhere, or passed on by a proxy that calls by a name of this machine', () => {
  expect(isLocal('ada.example', '127.0.0.1')).toBe(false);
  expect(isLocal('127.0.0.1.evil.example', '127.0.0.1')).toBe(false);
  expect(isLocal('localhost:4000', '203.0.113.7')).toBe(false);
  for (const name of ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'])
    expect([name, isLocal('127.0.0.1:4000', '127.0.0.1', { [name]: '' })]).toStrictEqual([name, false]);
});

it('a page of others that calls in the browser at this machine is not: it is its author who calls', () => {
  const from = (origin: string): boolean => isLocal('127.0.0.1:4000', '127.0.0.1', { origin });
  for (const own of ['http://127.0.0.1:4000', 'http://localhost:5173', 'http://[::1]:4000'])
    expect([own, from(own)]).toStrictEqual([own, true]);
  for (const foreign of [
    'https://evil.example',
    'http://127.0.0.1.evil.example',
    'http://192.168.1.7',
    'file://',
    'null',
    '',
  ])
    expect([foreign, from(foreign)]).toStrictEqual([foreign, false]);
});

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

import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { createForwardedAddressReader } from './forwarded-address.ts';

const addressFrom = (header: string | undefined, proxyCount: number): string | undefined => {
  const request = new IncomingMessage(new Socket());
  if (header !== undefined) request.headers['x-forwarded-for'] = header;
  return createForwardedAddressReader(proxyCount)(request);
};

it('the client address is the one that the outermost trusted proxy saw, regardless of what the client sent', () => {
  expect(addressFrom('203.0.113.7', 1)).toBe('203.0.113.7');
  expect(addressFrom('198.51.100.1, 203.0.113.7', 1)).toBe('203.0.113.7');
  expect(addressFrom('198.51.100.1, 2001:db8::7 , 10.0.0.2', 2)).toBe('2001:db8::7');
});

it('the client address is undefined without proxies, with an invalid header or with fewer entries than proxies', () => {
  expect(addressFrom('203.0.113.7', 0)).toBeUndefined();
  for (const header of [undefined, '', 'unknown', '203.0.113.7:80, evil'])
    expect(addressFrom(header, 1)).toBeUndefined();
  expect(addressFrom('203.0.113.7', 2)).toBeUndefined();
});

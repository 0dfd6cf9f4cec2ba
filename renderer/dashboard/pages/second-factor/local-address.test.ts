import { expect, it } from 'vitest';
import { localAddressOf } from './local-address.ts';

it('names the port of the PDA, not that of its public address', () => {
  const local = ['localhost:8080', '127.0.0.1:8080', '[::1]:8080'];
  expect(localAddressOf(['203.0.113.7', ...local])).toBe('http://localhost:8080');
  expect(localAddressOf(['localhost:9000', ...local])).toBe('http://localhost:8080');
  expect(localAddressOf(['localhost.example', ...local])).toBe('http://localhost:8080');
});

it('names no port if the PDA uses the default port', () => {
  expect(localAddressOf(['localhost', '127.0.0.1', '[::1]'])).toBe('http://localhost');
});

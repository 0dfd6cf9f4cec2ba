import { InvalidArgumentError } from 'commander';
import { expect, it } from 'vitest';
import { parseBaseUrl } from './cli.ts';

it('parseBaseUrl accepts a scheme, a host and an optional port, and nothing else', () => {
  expect(['http://localhost:4000', 'https://exchange.example.org/'].map(parseBaseUrl)).toStrictEqual([
    'http://localhost:4000',
    'https://exchange.example.org',
  ]);
  for (const address of [
    'exchange.example.org',
    'ftp://exchange.example.org',
    'https://exchange.example.org/path',
    'https://exchange.example.org?query',
    'https://exchange.example.org#fragment',
    'https://ada:secret@exchange.example.org',
  ])
    expect(() => parseBaseUrl(address), address).toThrow(InvalidArgumentError);
});

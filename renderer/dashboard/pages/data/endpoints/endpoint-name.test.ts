import { describe, expect, it } from 'vitest';
import { endpointSchema } from '../../../../../server/wire/common.ts';
import { isEndpoint, suggestEndpoint } from './endpoint-name.ts';

describe('suggested endpoint', () => {
  it.each([
    ['movies.json', 'imported/movies'],
    ['My Movies (2).ndjson', 'imported/my-movies-2'],
    ['Schritte – März.csv', 'imported/schritte-märz'],
    ['..json', 'imported/file'],
    ['???.csv', 'imported/file'],
    ['.hidden.jsonl', 'imported/hidden'],
  ])('for %s is %s, which the server accepts', (fileName, expected) => {
    const endpoint = suggestEndpoint(fileName);
    expect(endpoint).toBe(expected);
    expect(endpointSchema.safeParse(endpoint).success).toBe(true);
  });
});

describe('endpoint validation', () => {
  it.each([
    'a/b',
    'notes/ideas/2024',
    'a',
    '',
    'a/',
    '/a',
    'a//b',
    'a/..',
    'a/.',
    'a/b c',
    'ä/ö',
    'a/b.c',
    'a/..b',
    `a/${'b'.repeat(400)}`,
  ])('agrees with the server on %j', (text) => {
    expect(isEndpoint(text)).toBe(endpointSchema.safeParse(text).success);
  });
});

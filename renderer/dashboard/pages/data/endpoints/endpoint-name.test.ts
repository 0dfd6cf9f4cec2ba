import { describe, expect, it } from 'vitest';
import { endpointSchema } from '../../../../../server/wire/common.ts';
import { isEndpoint, suggestEndpoint } from './endpoint-name.ts';

describe('a suggested endpoint', () => {
  it.each([
    ['movies.json', 'imported/movies'],
    ['My Movies (2).ndjson', 'imported/my-movies-2'],
    ['Schritte – März.csv', 'imported/schritte-märz'],
    ['..json', 'imported/file'],
    ['???.csv', 'imported/file'],
    ['.hidden.jsonl', 'imported/hidden'],
  ])('of %s is %s, which the PDA takes', (fileName, expected) => {
    const endpoint = suggestEndpoint(fileName);
    expect(endpoint).toBe(expected);
    expect(endpointSchema.safeParse(endpoint).success).toBe(true);
  });
});

describe('what is said about a typed endpoint', () => {
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
  ])('is what the PDA would say about %j', (text) => {
    expect(isEndpoint(text)).toBe(endpointSchema.safeParse(text).success);
  });
});

import { describe, expect, it } from 'vitest';
import { changedReaders } from './record-readers.ts';

const reader = (name: string, ...endpoints: string[]) => ({
  name,
  reads: (endpoint: string) => endpoints.includes(endpoint),
});

describe('readers affected by a move', () => {
  const readers = [
    reader('Grace', 'b/two'),
    reader('Acme', 'a/one'),
    reader('Both', 'a/one', 'b/two'),
    reader('Two consents', 'a/one'),
    reader('Two consents', 'b/two'),
    reader('Ada', 'b/two'),
    reader('Ada', 'b/two', 'c/three'),
    reader('Other', 'c/three'),
  ];

  it('are named once each', () => {
    expect(changedReaders(readers, { from: 'a/one', to: 'b/two' })).toEqual({
      gained: ['Ada', 'Grace'],
      lost: ['Acme'],
    });
    expect(changedReaders(readers, { from: 'b/two', to: 'a/one' })).toEqual({
      gained: ['Acme'],
      lost: ['Ada', 'Grace'],
    });
  });

  it('only lose access when the target endpoint does not exist yet', () => {
    expect(changedReaders(readers, { from: 'a/one', to: 'd/new' })).toEqual({
      gained: [],
      lost: ['Acme', 'Both', 'Two consents'],
    });
  });
});

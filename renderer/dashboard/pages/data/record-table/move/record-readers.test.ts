import { describe, expect, it } from 'vitest';
import type { SharedView } from '../../../../../shared/api/contract.ts';
import { changedReaders, listRecordReaders } from './record-readers.ts';

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

  it('lose access if the target endpoint has no readers', () => {
    expect(changedReaders(readers, { from: 'a/one', to: 'd/new' })).toEqual({
      gained: [],
      lost: ['Acme', 'Both', 'Two consents'],
    });
  });
});

describe('people with a table of selected records', () => {
  const view = (userName: string, records?: string[]): SharedView => ({
    sharedViewId: userName,
    endpoint: 'a/one',
    name: 'Walks',
    userId: userName,
    userName,
    definition: {
      kind: 'table',
      selection: {
        search: '',
        filters: [],
        sorts: [],
        oldestFirst: false,
        ...(records === undefined ? {} : { records }),
      },
      columns: [{ path: 'steps', name: 'Steps' }],
    },
    created: 0,
    ends: null,
  });
  const views = [view('Grace', ['r1', 'r2']), view('Alan', ['r3']), view('Ada')];
  const otherSources = { debits: [], applications: [], contracts: [], functions: [] };

  it('gain or lose access only if one of these records is moved', () => {
    const readers = listRecordReaders({ ...otherSources, views, records: ['r2', 'r4'] });
    expect(changedReaders(readers, { from: 'a/one', to: 'b/two' })).toEqual({ gained: [], lost: ['Ada', 'Grace'] });
    expect(changedReaders(readers, { from: 'b/two', to: 'a/one' })).toEqual({ gained: ['Ada', 'Grace'], lost: [] });
  });
});

import { expect, it } from 'vitest';
import { affectedReaders } from './affected-readers.ts';

const SHARED = {
  folders: [
    { folder: 'trips', userId: 'grace', name: 'Grace' },
    { folder: 'trips/2024', userId: 'grace', name: 'Grace' },
    { folder: 'letters', userId: 'alan', name: 'Alan' },
  ],
  links: [
    { folder: 'trips', name: 'Trips for all', state: 'active' },
    { folder: 'letters/old', name: 'Old letters', state: 'active' },
    { folder: 'trips', name: 'Ended', state: 'expired' },
    { folder: null, name: 'One file', state: 'active' },
  ],
} as const;

it('names the readers of the new folder, and the readers of the old folders who lose access', () => {
  const files = [{ path: 'letters/a.txt' }, { path: 'letters/old/b.txt' }, { path: null }];
  expect(affectedReaders(files, 'trips/2024', SHARED)).toEqual({
    peopleIn: ['Grace'],
    linksIn: ['Trips for all'],
    peopleOut: ['Alan'],
    linksOut: ['Old letters'],
  });
});

it('compares whole folder names, and reports no lost access for a move within a shared folder', () => {
  const noReaders = { peopleIn: [], linksIn: [], peopleOut: [], linksOut: [] };
  expect(affectedReaders([{ path: 'a.txt' }], '', SHARED)).toEqual(noReaders);
  expect(affectedReaders([{ path: 'tripsandmore/a.txt' }], 'lettersandmore', SHARED)).toEqual(noReaders);
  expect(affectedReaders([{ path: 'letters/a.txt' }], 'letters/new', SHARED)).toEqual({
    ...noReaders,
    peopleIn: ['Alan'],
  });
});

it('reports no lost access for a person with whom the old and the new folder are shared', () => {
  const folders = [
    { folder: 'letters', userId: 'alan', name: 'Alan' },
    { folder: 'trips', userId: 'alan', name: 'Alan' },
    // Another person with the same name.
    { folder: 'letters', userId: 'turing', name: 'Alan' },
  ];
  const move = (shared: typeof folders) =>
    affectedReaders([{ path: 'letters/a.txt' }], 'trips', { folders: shared, links: [] });
  expect(move(folders.slice(0, 2))).toEqual({ peopleIn: ['Alan'], linksIn: [], peopleOut: [], linksOut: [] });
  expect(move(folders).peopleOut).toEqual(['Alan']);
});

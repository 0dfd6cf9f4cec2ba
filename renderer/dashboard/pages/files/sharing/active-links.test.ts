import { expect, it } from 'vitest';
import { countActiveLinks } from './active-links.ts';

const TRIP = { collectionId: '00000000-0000-4000-8000-000000000001', name: 'Trip' };
const BASE = { files: [], folder: null, collection: null, state: 'active' } as const;
const links = [
  { ...BASE, files: [{ fileId: 'wall.jpg', name: 'wall.jpg' }] },
  { ...BASE, files: [{ fileId: 'wall.jpg', name: 'wall.jpg' }], state: 'expired' as const },
  { ...BASE, folder: 'holiday' },
  { ...BASE, collection: TRIP },
].map(({ files, ...link }) => ({ ...link, files: [...files] }));

it('counts the active links with a file, a folder that contains it or one of its collections', () => {
  const count = (fileId: string, path: string, collections = [TRIP]) =>
    countActiveLinks(links, { file: { fileId }, path, collections });
  expect(count('wall.jpg', 'holiday/wall.jpg')).toBe(3);
  expect(count('wall.jpg', 'holidays/wall.jpg', [])).toBe(1);
  expect(count('gate.jpg', 'holiday/2024/gate.jpg', [])).toBe(1);
  expect(count('gate.jpg', 'gate.jpg', [])).toBe(0);
});

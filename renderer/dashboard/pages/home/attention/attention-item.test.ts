import { expect, it } from 'vitest';
import { combineItems } from './attention-item.ts';

const item = { id: 'backup', title: 'No backup', text: '', to: '/settings/backup', isError: true };

it('counts the items of all lists, and is incomplete until each list has loaded', () => {
  expect(combineItems([[], [item, { ...item, count: 3 }], [item]])).toMatchObject({ total: 5, isComplete: true });
  expect(combineItems([[item], undefined])).toEqual({ items: [item], total: 1, isComplete: false });
  expect(combineItems([undefined])).toEqual({ items: [], total: 0, isComplete: false });
});

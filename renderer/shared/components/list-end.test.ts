import { expect, it } from 'vitest';
import { loadsAutomatically } from './list-end.tsx';

it('loads the next page automatically, but not while loading, at the end or after a failure', () => {
  const state = { hasMore: true, isLoading: false, hasFailed: false };
  expect(loadsAutomatically(state)).toBe(true);
  expect(loadsAutomatically({ ...state, isLoading: true })).toBe(false);
  expect(loadsAutomatically({ ...state, hasMore: false })).toBe(false);
  expect(loadsAutomatically({ ...state, hasFailed: true })).toBe(false);
});

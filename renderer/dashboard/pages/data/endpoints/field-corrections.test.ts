import { expect, it } from 'vitest';
import { findCorrections } from './field-corrections.ts';

const shown = [
  { path: 'pulse', name: 'Pulse', type: 'number', unit: 'bpm' },
  { path: 'day', name: 'Day', type: 'date', unit: '' },
] as const;

it('returns only the properties that the owner changed', () => {
  expect(findCorrections(shown, [shown[0], { ...shown[1], name: ' Date ' }])).toEqual([{ path: 'day', name: 'Date' }]);
});

it('restores the inferred name if the input is empty, and removes the unit', () => {
  expect(findCorrections(shown, [{ ...shown[0], name: ' ', unit: '', type: 'text' }, shown[1]])).toEqual([
    { path: 'pulse', name: null, type: 'text', unit: '' },
  ]);
});

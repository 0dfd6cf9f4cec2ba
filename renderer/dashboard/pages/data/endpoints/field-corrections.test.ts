import { expect, it } from 'vitest';
import { findCorrections } from './field-corrections.ts';

const shownFields = [
  { path: 'pulse', name: 'Pulse', type: 'number', unit: 'bpm' },
  { path: 'day', name: 'Day', type: 'date', unit: '' },
] as const;

it('returns only the properties that the owner changed', () => {
  expect(findCorrections(shownFields, [shownFields[0], { ...shownFields[1], name: ' Date ' }])).toEqual([
    { path: 'day', name: 'Date' },
  ]);
});

it('restores the inferred name if the input is empty, and removes the unit', () => {
  expect(
    findCorrections(shownFields, [{ ...shownFields[0], name: ' ', unit: '', type: 'text' }, shownFields[1]]),
  ).toEqual([{ path: 'pulse', name: null, type: 'text', unit: '' }]);
});

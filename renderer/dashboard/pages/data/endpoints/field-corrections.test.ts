import { expect, it } from 'vitest';
import { findCorrections, findDisplayCorrections } from './field-corrections.ts';

const shownFields = [
  { path: 'pulse', name: 'Pulse', type: 'number', unit: 'bpm' },
  { path: 'day', name: 'Day', type: 'date', unit: '' },
] as const;

it('returns only the properties that the owner changed', () => {
  expect(findCorrections(shownFields, [shownFields[0], { ...shownFields[1], name: ' Date ' }])).toEqual([
    { path: 'day', name: 'Date' },
  ]);
});

it('restores the inferred name if the name is empty, and removes the unit if the unit is empty', () => {
  expect(
    findCorrections(shownFields, [{ ...shownFields[0], name: ' ', unit: '', type: 'text' }, shownFields[1]]),
  ).toEqual([{ path: 'pulse', name: null, type: 'text', unit: '' }]);
});

it('returns the chosen field colour, and null for a removed one', () => {
  const colouredFields = [{ ...shownFields[0], colour: 'teal' }, shownFields[1]] as const;
  expect(
    findCorrections(colouredFields, [
      { ...colouredFields[0], colour: undefined },
      { ...shownFields[1], colour: 'blue' },
    ]),
  ).toEqual([
    { path: 'pulse', colour: null },
    { path: 'day', colour: 'blue' },
  ]);
});

it.each([
  [{ name: 'Steps', icon: 'run', colour: 'teal' }, {}],
  [{ name: ' Walks ', icon: 'run', colour: 'teal' }, { name: 'Walks' }],
  [
    { name: ' ', icon: undefined, colour: undefined },
    { name: null, icon: null, colour: null },
  ],
  [
    { name: 'Steps', icon: 'heart', colour: 'grey' },
    { icon: 'heart', colour: 'grey' },
  ],
] as const)('returns the name, icon and colour changes for %j', (input, changes) => {
  expect(findDisplayCorrections({ name: 'Steps', icon: 'run', colour: 'teal' }, input)).toStrictEqual(changes);
});

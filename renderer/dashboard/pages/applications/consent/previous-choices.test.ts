import { describe, expect, it } from 'vitest';
import type { NamedBundle } from '../../../../shared/api/contract.ts';
import { narrowingOf } from '../../../consent/choices.ts';
import { plainBundle } from '../../../../shared/consent/bundle-text.ts';
import { carryOverChoices } from './previous-choices.ts';

type Bundle = NamedBundle['bundle'];
type Mapping = Record<string, string>;

const bundle = (steps: Mapping | null | undefined, sleep?: Mapping | null): Bundle => {
  const entry = (endpoint: string, mapping: Mapping | null) => ({
    endpoint,
    ...(mapping === null ? {} : { mapping }),
  });
  return {
    ...(steps === undefined ? {} : { steps: { endpoints: [entry('fitness/steps', steps)] } }),
    ...(sleep === undefined ? {} : { sleep: { endpoints: [entry('fitness/sleep', sleep)] } }),
  };
};

const narrowing = (current: Bundle, requested: Bundle, granted: Bundle) => {
  const properties = plainBundle(current);
  return narrowingOf(properties, carryOverChoices(properties, requested, granted));
};

const date = { date: 'data.date' };
const dateAndPlace = { ...date, place: 'data.place' };

describe('choices carried over from an earlier version', () => {
  it('keep earlier exclusions and include new fields as requested', () => {
    const newMapping = { ...dateAndPlace, heart: 'data.heart' };
    expect(narrowing(bundle(newMapping), bundle(dateAndPlace), bundle(date))).toEqual({
      drop: [{ property: 'steps', entry: 0, fields: ['place'] }],
      keep: [],
    });
  });

  it('exclude nothing if everything was granted, not even new fields and entries', () => {
    const newMapping = { ...dateAndPlace, heart: 'data.heart' };
    expect(narrowing(bundle(newMapping), bundle(dateAndPlace), bundle(dateAndPlace))).toBeUndefined();
    expect(narrowing(bundle(dateAndPlace), bundle(undefined), bundle(undefined))).toBeUndefined();
  });

  it('exclude an entry that was excluded before', () => {
    expect(narrowing(bundle(dateAndPlace, null), bundle(dateAndPlace, null), bundle(dateAndPlace))).toEqual({
      drop: [{ property: 'sleep', entry: 0 }],
      keep: [],
    });
  });

  it('keep single fields of entire records', () => {
    expect(narrowing(bundle(null), bundle(null), bundle(date))).toEqual({
      drop: [],
      keep: [{ property: 'steps', entry: 0, fields: ['date'] }],
    });
  });

  it('keep only the granted fields if entire records are requested after an exclusion', () => {
    expect(narrowing(bundle(null), bundle(dateAndPlace), bundle(date))).toEqual({
      drop: [],
      keep: [{ property: 'steps', entry: 0, fields: ['date'] }],
    });
    expect(narrowing(bundle(null), bundle(date), bundle(date))).toBeUndefined();
  });

  it('exclude the entry if entire records are requested and no granted field can be kept', () => {
    const latitude = { latitude: 'data.place.latitude' };
    expect(narrowing(bundle(null), bundle({ ...date, ...latitude }), bundle(latitude))).toEqual({
      drop: [{ property: 'steps', entry: 0 }],
      keep: [],
    });
  });

  it('ignore fields that are no longer requested', () => {
    expect(narrowing(bundle(date), bundle(dateAndPlace), bundle(date))).toBeUndefined();
  });
});

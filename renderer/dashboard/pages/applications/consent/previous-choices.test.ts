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

  it('exclude excluded data under a new name, as part of an object, and a part of an excluded object', () => {
    const dateAndLatitude = { ...date, latitude: 'data.place.latitude' };
    const excludedFields = (current: Mapping, requested: Mapping) =>
      narrowing(bundle(current), bundle(requested), bundle(date))?.drop.flatMap(({ fields }) => fields);
    expect(excludedFields({ ...date, where: 'place' }, dateAndPlace)).toEqual(['where']);
    expect(excludedFields({ ...date, where: 'data.place.latitude' }, dateAndPlace)).toEqual(['where']);
    expect(excludedFields({ ...date, where: 'place' }, dateAndLatitude)).toEqual(['where']);
    expect(excludedFields({ ...date, all: '[]' }, dateAndPlace)).toEqual(['all']);
    expect(excludedFields({ ...date, longitude: 'place.longitude' }, dateAndLatitude)).toBeUndefined();
    expect(excludedFields({ day: 'data.date', places: 'places' }, dateAndPlace)).toBeUndefined();
  });

  it('exclude other data under the name of a field that was kept of entire records', () => {
    const current = bundle({ date: 'data.place', day: 'data.date', hour: 'date.hour' });
    expect(narrowing(current, bundle(null), bundle(date))).toEqual({
      drop: [{ property: 'steps', entry: 0, fields: ['date'] }],
      keep: [],
    });
  });

  it('keep the exclusions from each entry of an endpoint, in any order', () => {
    const entries = (...mappings: Mapping[]): Bundle => ({
      steps: { endpoints: mappings.map((mapping) => ({ endpoint: 'fitness/steps', mapping })) },
    });
    const heart = { heart: 'data.heart' };
    const requested = entries(date, { ...heart, place: 'data.place' });
    const granted = entries(date, heart);
    expect(narrowing(requested, requested, granted)?.drop).toEqual([
      { property: 'steps', entry: 1, fields: ['place'] },
    ]);
    const reordered = entries({ ...heart, place: 'data.place' }, date);
    expect(narrowing(reordered, requested, granted)?.drop).toEqual([
      { property: 'steps', entry: 0, fields: ['place'] },
    ]);
  });

  it('keep the exclusions of an endpoint that is requested in a new property', () => {
    const renamed = (mapping: Mapping): Bundle => ({ walks: { endpoints: [{ endpoint: 'fitness/steps', mapping }] } });
    expect(narrowing(renamed(dateAndPlace), bundle(dateAndPlace), bundle(date))?.drop).toEqual([
      { property: 'walks', entry: 0, fields: ['place'] },
    ]);
    expect(narrowing(renamed(date), bundle(date), bundle(undefined))?.drop).toEqual([{ property: 'walks', entry: 0 }]);
    expect(narrowing(renamed(dateAndPlace), bundle(date), bundle(date))).toBeUndefined();
  });

  it('ignore fields that are no longer requested', () => {
    expect(narrowing(bundle(date), bundle(dateAndPlace), bundle(date))).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import type { NamedBundle } from '../../../../shared/api/contract.ts';
import { narrowingOf } from '../../../consent/choices.ts';
import { plainBundle } from '../../../../shared/consent/bundle-text.ts';
import { keptChoices } from './previous-choices.ts';

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

const kept = (now: Bundle, asked: Bundle, given: Bundle) => {
  const properties = plainBundle(now);
  return narrowingOf(properties, keptChoices(properties, asked, given));
};

const date = { date: 'data.date' };
const both = { ...date, place: 'data.place' };

describe('what the owner left out of an earlier version', () => {
  it('keeps earlier exclusions, and shows new fields as requested', () => {
    const next = { ...both, heart: 'data.heart' };
    expect(kept(bundle(next), bundle(both), bundle(date))).toEqual({
      drop: [{ property: 'steps', entry: 0, fields: ['place'] }],
      keep: [],
    });
  });

  it('is nothing when everything was given', () => {
    expect(kept(bundle({ ...both, heart: 'data.heart' }), bundle(both), bundle(both))).toBeUndefined();
    expect(kept(bundle(both), bundle(undefined), bundle(undefined))).toBeUndefined();
  });

  it('can be a whole entry', () => {
    expect(kept(bundle(both, null), bundle(both, null), bundle(both))).toEqual({
      drop: [{ property: 'sleep', entry: 0 }],
      keep: [],
    });
  });

  it('can be all but some fields of entire records', () => {
    expect(kept(bundle(null), bundle(null), bundle(date))).toEqual({
      drop: [],
      keep: [{ property: 'steps', entry: 0, fields: ['date'] }],
    });
  });

  it('is no more than what is still asked', () => {
    expect(kept(bundle(date), bundle(both), bundle(date))).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { bundleText, plainBundle } from '../../shared/consent/bundle-text.ts';
import { dataDisplayOf } from './data-names.ts';

const SUMMARIES = [
  {
    endpoint: 'fit/daily',
    name: 'Steps per day',
    icon: 'run' as const,
    fieldNames: [{ path: 'pulse.rest', name: 'Morning pulse' }],
    fieldColours: [{ path: 'pulse.rest', colour: 'orange' as const }],
  },
  { endpoint: 'fit/sleep', name: 'Sleep' },
  {
    endpoint: 'watch/pulse',
    name: 'Pulse',
    colour: 'teal' as const,
    namespaceDisplay: { name: 'My\u202E watch', colour: 'teal' as const },
  },
];
const { names, iconOf, fieldColourOf, namespaceDisplayOf } = dataDisplayOf(SUMMARIES);

describe('data names', () => {
  it.each([
    ['pulse.rest', 'fit/daily', 'Morning pulse'],
    ['data.pulse.rest', 'fit/daily', 'Morning pulse'],
    ['pulse.rest[]', 'fit/daily', 'Morning pulse'],
    ['pulse.rest[0]', 'fit/daily', 'Pulse rest 1'],
    ['pulse', 'fit/daily', 'Pulse'],
    ['pulse.rest', 'fit/sleep', 'Pulse rest'],
    ['__proto__', 'constructor', 'Proto'],
  ])('name the field %s at %s: %s', (path, endpoint, name) => {
    expect(names.field(path, endpoint)).toBe(name);
  });

  it('are the owner’s names for endpoints, or are derived from the path', () => {
    expect(['fit/daily', 'fit/day-summary'].map(names.endpoint)).toEqual(['Steps per day', 'Day summary']);
  });

  it.each([
    ['watch', 'My watch (watch)'],
    ['fit', 'fit'],
    ['elsewhere', 'elsewhere'],
  ])('show the namespace %s as %s', (namespace, text) => {
    expect(names.namespace(namespace)).toBe(text);
  });

  it('replace derived names in consent descriptions, which keep the paths', () => {
    const bundle = {
      a: { endpoints: [{ endpoint: 'fit/daily', mapping: { x: 'data.pulse.rest' } }, { endpoint: 'fit/sleep' }] },
    };
    expect(bundleText(bundle, names).replaceAll('\u00A0', ' ')).toBe(
      'entire records of Sleep, and 1 field of Steps per day',
    );
    expect(plainBundle(bundle, names)[0]?.entries[0]).toMatchObject({
      endpoint: 'fit/daily',
      fields: [{ label: 'Morning pulse', source: 'pulse.rest', sentAs: 'x' }],
    });
  });
});

describe('icons and colours of data', () => {
  it('are those that the owner chose', () => {
    const endpoints = ['fit/daily', 'fit/sleep', 'watch/pulse', 'elsewhere/x'];
    expect(endpoints.map((endpoint) => iconOf(endpoint).icon)).toEqual(['run', undefined, undefined, undefined]);
    expect(iconOf('watch/pulse').colour).toBe('teal');
    expect(namespaceDisplayOf('watch')?.colour).toBe('teal');
    expect(['fit', 'elsewhere'].map(namespaceDisplayOf)).toEqual([undefined, undefined]);
    const paths = ['pulse.rest', 'data.pulse.rest', 'pulse.rest[]', 'pulse', 'constructor'];
    expect(paths.map((path) => fieldColourOf(path, 'fit/daily'))).toEqual([
      'orange',
      'orange',
      'orange',
      undefined,
      undefined,
    ]);
    expect(fieldColourOf('pulse.rest', 'fit/sleep')).toBeUndefined();
  });

  it('are indexed once per list', () => {
    expect(dataDisplayOf(SUMMARIES).names).toBe(names);
    expect(dataDisplayOf([...SUMMARIES]).names).not.toBe(names);
  });
});

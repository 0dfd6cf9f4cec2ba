import { describe, expect, it } from 'vitest';
import { bundleText, plainBundle } from '../../shared/consent/bundle-text.ts';
import { dataNamesOf } from './data-names.ts';

const names = dataNamesOf([
  { endpoint: 'fit/daily', name: 'Steps per day', fieldNames: [{ path: 'pulse.rest', name: 'Morning pulse' }] },
  { endpoint: 'fit/sleep', name: 'Sleep' },
  { endpoint: 'watch/pulse', name: 'Pulse', namespaceDisplay: { name: 'My\u202E watch', colour: 'teal' } },
]);

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

  it('are the owner’s names for endpoints, or derive from the path', () => {
    expect(['fit/daily', 'fit/day-summary'].map(names.endpoint)).toEqual(['Steps per day', 'Day summary']);
  });

  it.each([
    ['watch', 'My watch (watch)'],
    ['fit', 'fit'],
    ['elsewhere', 'elsewhere'],
  ])('are shown beside the namespace %s: %s', (namespace, text) => {
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

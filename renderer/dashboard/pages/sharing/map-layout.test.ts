import { describe, expect, it } from 'vitest';
import type { Bundle } from '../../../../server/wire/query.ts';
import { exampleConsent as consent } from './example.test-support.ts';
import { layOutMap, createDuplicateNameCheck } from './map-layout.ts';

const bundleOf = (...endpoints: string[]): Bundle => ({
  a: { endpoints: endpoints.map((endpoint) => ({ endpoint, mapping: { x: 'x' } })) },
});

describe('sharing map', () => {
  it('draws one line per consent and endpoint, marked if entire records are shared', () => {
    const map = layOutMap([
      consent('one', {
        a: { endpoints: [{ endpoint: 'f/a', mapping: { x: 'x' } }, { endpoint: 'f/a' }] },
        b: { endpoints: [{ endpoint: 'f/b', mapping: { x: 'x' } }] },
      }),
      consent('two', bundleOf('f/b')),
    ]);
    expect(map.targets.map(({ id }) => id)).toEqual(['f/a', 'f/b']);
    expect(map.lines).toEqual([
      { from: 0, to: 0, entire: true },
      { from: 0, to: 1, entire: false },
      { from: 1, to: 1, entire: false },
    ]);
  });

  it('places each endpoint next to its readers', () => {
    const map = layOutMap([
      consent('one', bundleOf('z/z')),
      consent('two', bundleOf('m/m')),
      consent('three', bundleOf('a/a')),
    ]);
    expect(map.targets.map(({ id }) => id)).toEqual(['z/z', 'm/m', 'a/a']);
  });

  it('groups many endpoints by source and limits many consents to the most recent readers', () => {
    const many = Array.from({ length: 20 }, (_, index) =>
      consent(
        `c${index}`,
        bundleOf(`s${index % 3}/e${index}`, `s${index % 3}/f${index}`),
        index === 19 ? '2026-01-01T00:00:00.000Z' : null,
      ),
    );
    const map = layOutMap(many);
    expect(map.targets.map(({ id }) => id).toSorted()).toEqual(['s0', 's1', 's2']);
    expect([map.consents.length, map.hidden, map.consents[0]?.key]).toEqual([14, 6, 'c19']);
    expect(map.lines).toHaveLength(14);
  });

  it('detects names that belong to several consents', () => {
    const items = [consent('one', bundleOf('z/z')), consent('two', bundleOf('m/m')), consent('three', bundleOf('a/a'))];
    const [first, second] = items;
    if (first === undefined || second === undefined) throw new Error('expected three consents');
    second.debit.requestClientName = first.debit.requestClientName;
    const isDuplicateName = createDuplicateNameCheck(items);
    expect(items.map(({ debit }) => isDuplicateName(debit.requestClientName))).toEqual([true, true, false]);
  });
});

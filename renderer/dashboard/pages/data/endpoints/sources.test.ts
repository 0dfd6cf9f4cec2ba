import { expect, it } from 'vitest';
import type { EndpointSummary } from '../../../../shared/api/contract.ts';
import { groupBySource } from './sources.ts';

const summaryOf = (endpoint: string, changes: Partial<EndpointSummary> = {}): EndpointSummary => ({
  endpoint,
  name: endpoint,
  records: 2,
  bytes: 10,
  firstRecord: null,
  lastRecord: null,
  lastChange: null,
  ...changes,
});

it('groups endpoints by namespace and sums their records', () => {
  const sources = groupBySource([summaryOf('watch/steps'), summaryOf('bank/payments'), summaryOf('watch/sleep')]);
  expect(
    sources.map(({ namespace, title, records, endpoints }) => [namespace, title, records, endpoints.length]),
  ).toEqual([
    ['bank', 'bank', 2, 1],
    ['watch', 'watch', 4, 2],
  ]);
});

it('uses the name that the owner gave to a source as its title and for sorting, and keeps the namespace', () => {
  const namespaceDisplay = { name: 'Activity', icon: 'run', colour: 'teal' } as const;
  const [watch, bank] = groupBySource([summaryOf('bank/payments'), summaryOf('watch/steps', { namespaceDisplay })]);
  expect(watch).toMatchObject({ namespace: 'watch', title: 'Activity', display: namespaceDisplay });
  expect(bank).toMatchObject({ namespace: 'bank', title: 'bank', display: {} });
});

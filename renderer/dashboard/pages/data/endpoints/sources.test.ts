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
  expect(sources.map(({ name, title, records, endpoints }) => [name, title, records, endpoints.length])).toEqual([
    ['bank', 'bank', 2, 1],
    ['watch', 'watch', 4, 2],
  ]);
});

it('names and sorts sources by the owner’s name for them, and keeps the namespace', () => {
  const namespaceDisplay = { name: 'Activity', icon: 'run', colour: 'teal' } as const;
  const [watch, bank] = groupBySource([summaryOf('bank/payments'), summaryOf('watch/steps', { namespaceDisplay })]);
  expect(watch).toMatchObject({ name: 'watch', title: 'Activity', display: namespaceDisplay });
  expect(bank).toMatchObject({ name: 'bank', title: 'bank', display: {} });
});

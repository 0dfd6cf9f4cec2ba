import { describe, expect, it } from 'vitest';
import { createFunction, createRun } from '../example.test-support.ts';
import { type FunctionState, groupFunctions, functionStateOf } from './state.ts';

const cycle = { time: '2026-03-01T11:00:00.000Z', chain: ['counter', 'other', 'counter'] };

describe('function state', () => {
  it.each<[FunctionState, string, Parameters<typeof createFunction>[0]]>([
    ['on', 'it is enabled', {}],
    ['off', 'it is disabled', { status: { enabled: false } }],
    ['removed', 'it is no longer registered', { registered: false }],
    ['unavailable', 'it has no configuration', { isUnpublished: true }],
    ['unavailable', 'its status says so', { status: { available: false } }],
    ['running', 'a run has started', { status: { executionStarted: '2026-03-01T10:00:00.000Z' } }],
    ['decision', 'it asks for more than was approved', { asksForMore: true }],
    ['queued', 'a run is queued', { queued: true, waiting: true }],
    ['failing', 'the last runs failed', { failures: 3 }],
    ['waiting', 'input is pending', { waiting: true }],
    ['cycle', 'a cycle was stopped after the last run', { cycle }],
    [
      'cycle',
      'the latest run, which started after the cycle, was stopped too',
      { cycle, lastRun: createRun({ outcome: 'stopped', started: '2026-03-01T12:00:00.000Z' }) },
    ],
  ])('is %s if %s', (state, _condition, change) => {
    expect(functionStateOf(createFunction(change))).toBe(state);
  });

  it('ranks a pending decision above failures and cycles', () => {
    expect(functionStateOf(createFunction({ asksForMore: true, failures: 4, cycle }))).toBe('decision');
  });

  it('is no longer a cycle after a later run that was not stopped', () => {
    const laterRun = createRun({ started: '2026-03-01T12:00:00.000Z' });
    expect(functionStateOf(createFunction({ cycle, lastRun: laterRun }))).toBe('on');
  });

  it('is no longer a cycle after a later successful run, although a run was stopped since', () => {
    const stoppedRun = createRun({ outcome: 'stopped', started: '2026-03-01T13:00:00.000Z' });
    const afterRun = (lastExecution: string) =>
      functionStateOf(createFunction({ cycle, lastRun: stoppedRun, status: { lastExecution } }));
    expect(afterRun('2026-03-01T12:00:00.000Z')).toBe('on');
    expect(afterRun('2026-03-01T10:00:00.000Z')).toBe('cycle');
  });

  it('is off regardless of requests and failures while disabled', () => {
    expect(functionStateOf(createFunction({ status: { enabled: false }, asksForMore: true, failures: 2 }))).toBe('off');
  });
});

describe('function groups', () => {
  it('list enabled functions first, sorted by urgency and then by name', () => {
    const groups = groupFunctions([
      createFunction({ id: 'z', name: 'Zebra' }),
      createFunction({ id: 'gone', name: 'Gone', registered: false }),
      createFunction({ id: 'off', name: 'Ape', status: { enabled: false } }),
      createFunction({ id: 'b', name: 'Bear' }),
      createFunction({ id: 'f', name: 'Yak', failures: 1 }),
      createFunction({ id: 'd', name: 'Zebu', asksForMore: true }),
    ]);
    expect([...groups.keys()]).toEqual(['on', 'off', 'removed']);
    expect(groups.get('on')?.map(({ id }) => id)).toEqual(['d', 'f', 'b', 'z']);
  });

  it('omit empty groups', () => {
    expect([...groupFunctions([createFunction()]).keys()]).toEqual(['on']);
  });
});

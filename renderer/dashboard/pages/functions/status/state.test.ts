import { describe, expect, it } from 'vitest';
import { functionOf, runOf } from '../example.test-support.ts';
import { type FunctionState, groupFunctions, functionStateOf } from './state.ts';

const circle = { time: '2026-03-01T11:00:00.000Z', chain: ['counter', 'other', 'counter'] };

describe('where a function stands', () => {
  it.each<[FunctionState, Parameters<typeof functionOf>[0]]>([
    ['on', {}],
    ['off', { status: { enabled: false } }],
    ['removed', { registered: false }],
    ['unavailable', { unknown: true }],
    ['unavailable', { status: { available: false } }],
    ['running', { status: { executionStarted: '2026-03-01T10:00:00.000Z' } }],
    ['decision', { asksForMore: true }],
    ['queued', { queued: true, waiting: true }],
    ['failing', { failures: 3 }],
    ['waiting', { waiting: true }],
    ['circle', { cycle: circle }],
    ['circle', { cycle: circle, lastRun: runOf({ outcome: 'stopped', started: '2026-03-01T12:00:00.000Z' }) }],
  ])('is %s', (state, change) => {
    expect(functionStateOf(functionOf(change))).toBe(state);
  });

  it('is what it asks for before how it fared', () => {
    expect(functionStateOf(functionOf({ asksForMore: true, failures: 4, cycle: circle }))).toBe('decision');
  });

  it('has left a circle behind once it ran for something else', () => {
    const later = runOf({ started: '2026-03-01T12:00:00.000Z' });
    expect(functionStateOf(functionOf({ cycle: circle, lastRun: later }))).toBe('on');
  });

  it('wants nothing while it is off', () => {
    expect(functionStateOf(functionOf({ status: { enabled: false }, asksForMore: true, failures: 2 }))).toBe('off');
  });
});

describe('the list', () => {
  it('has what is on first, what wants something before the rest, then by name', () => {
    const groups = groupFunctions([
      functionOf({ id: 'z', name: 'Zebra' }),
      functionOf({ id: 'gone', name: 'Gone', registered: false }),
      functionOf({ id: 'off', name: 'Ape', status: { enabled: false } }),
      functionOf({ id: 'b', name: 'Bear' }),
      functionOf({ id: 'f', name: 'Yak', failures: 1 }),
      functionOf({ id: 'd', name: 'Zebu', asksForMore: true }),
    ]);
    expect([...groups.keys()]).toEqual(['on', 'off', 'removed']);
    expect(groups.get('on')?.map(({ id }) => id)).toEqual(['d', 'f', 'b', 'z']);
  });

  it('names no group that is empty', () => {
    expect([...groupFunctions([functionOf()]).keys()]).toEqual(['on']);
  });
});

import { describe, expect, it } from 'vitest';
import { displayNameOf, endpointNameOf, namespaceOf } from './display-name.ts';

describe('displayNameOf', () => {
  it.each([
    ['daily-steps', 'Daily steps'],
    ['pulse_resting', 'Resting pulse'],
    ['temp_max', 'Maximum temp'],
    ['dailySteps', 'Daily steps'],
    ['userID', 'User ID'],
    ['HTTPServer', 'Http server'],
    ['US_Gross', 'US gross'],
    ['Release Date', 'Release Date'],
    ['IMDB Votes', 'IMDB Votes'],
    [' heart rate', 'Heart rate'],
    ['id', 'ID'],
    ['__proto__', 'Proto'],
    ['überweisung', 'Überweisung'],
    ['---', '---'],
    ['x'.repeat(100), `X${'x'.repeat(79)}`],
  ])('turns %s into %s', (identifier, name) => {
    expect(displayNameOf(identifier)).toBe(name);
  });
});

describe('namespaceOf', () => {
  it.each([
    ['bank/payments', 'bank'],
    ['bank/girokonto/payments', 'bank'],
    ['bank', 'bank'],
    ['', ''],
  ])('maps %j to %j', (endpoint, namespace) => {
    expect(namespaceOf(endpoint)).toBe(namespace);
  });
});

describe('endpointNameOf', () => {
  it('names an endpoint by its last segment', () => {
    expect(endpointNameOf('example-steps/daily-steps')).toBe('Daily steps');
    expect(endpointNameOf('bank/girokonto/payments')).toBe('Payments');
  });
});

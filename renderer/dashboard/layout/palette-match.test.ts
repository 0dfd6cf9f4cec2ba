import { describe, expect, it } from 'vitest';
import { type PaletteGroup, arrangeGroups, matchEntries, rankOf } from './palette-match.ts';

describe('rankOf', () => {
  it.each([
    ['set', 'Settings'],
    ['SETTINGS', 'Settings'],
    ['setings', 'Settings'],
    ['settigns', 'Settings'],
    ['histroy acc', 'Access history'],
    ['zuruck', 'Zurückgesetzt'],
    ['', 'Settings'],
  ])('accepts "%s" for "%s"', (input, label) => {
    expect(rankOf(input, label, '')).toBeDefined();
  });

  it.each([
    ['sad', 'Settings'],
    ['hist', 'Settings'],
    ['settings foo', 'Settings'],
  ])('rejects "%s" for "%s"', (input, label) => {
    expect(rankOf(input, label, '')).toBeUndefined();
  });
});

describe('matchEntries', () => {
  it('ranks labels before keywords, and prefixes before typing errors', () => {
    const entries = [
      { label: 'Security settings', keywords: 'passkey backup codes' },
      { label: 'Backpu' },
      { label: 'Backup' },
      { label: 'Home' },
    ];
    const labels = matchEntries('backup', entries).map(({ label }) => label);
    expect(labels).toEqual(['Backup', 'Security settings', 'Backpu']);
  });

  it('does not match descriptions', () => {
    const entries = [{ label: 'Steps', description: 'fitness/steps · 12 records', keywords: 'fitness/steps' }];
    expect(matchEntries('records', entries)).toEqual([]);
    expect(matchEntries('fitness', entries)).toEqual(entries);
  });
});

describe('arrangeGroups', () => {
  const group = (
    name: string,
    kind: PaletteGroup<unknown>['kind'],
    labels: readonly string[],
  ): PaletteGroup<{ label: string; keywords?: string }> => ({
    group: name,
    kind,
    actions: labels.map((label) => ({ label })),
  });

  it('shows records and files even if many names match', () => {
    const endpoints = Array.from({ length: 50 }, (_, n) => `Heron ${n}`);
    const groups = arrangeGroups('heron', [
      group('Endpoints', 'name', endpoints),
      group('Records', 'content', ['a heron', 'two herons']),
      group('Files', 'content', ['heron.jpg']),
    ]);
    expect(groups.map(({ group: name, actions }) => [name, actions.length])).toEqual([
      ['Endpoints', 6],
      ['Records', 2],
      ['Files', 1],
    ]);
  });

  it('shows pages and actions first, then prefix matches of names, content and weaker matches', () => {
    const groups = arrangeGroups('grace', [
      group('Pages', 'command', ['Garce']),
      { ...group('Consents', 'name', []), actions: [{ label: 'Acme', keywords: 'grace/days' }] },
      group('Functions', 'name', ['Clocks']),
      group('People', 'name', ['Grace']),
      group('Records', 'content', ['tea with Grace']),
    ]);
    expect(groups.map(({ group: name }) => name)).toEqual(['Pages', 'People', 'Records', 'Consents']);
  });

  it('shows only pages and actions while the input is empty', () => {
    const pages = Array.from({ length: 30 }, (_, n) => `Page ${n}`);
    const groups = arrangeGroups(' ', [group('Pages', 'command', pages), group('People', 'name', ['Grace'])]);
    expect(groups.map(({ group: name, actions }) => [name, actions.length])).toEqual([['Pages', 30]]);
  });
});

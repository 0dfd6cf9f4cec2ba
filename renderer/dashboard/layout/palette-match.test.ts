import { describe, expect, it } from 'vitest';
import { matchEntries, rankOf } from './palette-match.ts';

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
  it('ranks matches of the label before those of keywords, and prefixes before typing errors', () => {
    const entries = [
      { label: 'Security settings', keywords: 'passkey backup codes' },
      { label: 'Backpu' },
      { label: 'Backup' },
      { label: 'Home' },
    ];
    const labels = matchEntries('backup', entries).map(({ label }) => label);
    expect(labels).toEqual(['Backup', 'Security settings', 'Backpu']);
  });
});

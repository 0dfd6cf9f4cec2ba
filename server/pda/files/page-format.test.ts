import { expect, it } from 'vitest';
import { archiveLink } from './guests/pages/lists.ts';
import { GUEST_TEXTS } from './guests/pages/texts.ts';
import { SHARE_TEXTS } from './links/page-texts.ts';
import { sizeText } from './page-format.ts';

it('a size is stated in the largest unit that it reaches and in the language of the page', () => {
  expect([0, 1, 999, 1000, 1_500_000, 2_000_000_000_000].map((bytes) => sizeText(bytes, 'en'))).toEqual([
    '0 bytes',
    '1 byte',
    '999 bytes',
    '1 kB',
    '1.5 MB',
    '2,000 GB',
  ]);
  expect(sizeText(1_500_000, 'de')).toBe('1,5 MB');
});

it('large numbers on the pages of guests and of share links have thousands separators', () => {
  expect(SHARE_TEXTS.en.opensLeft(12_345)).toBe('12,345 more files can be opened.');
  expect(SHARE_TEXTS.de.opensLeft(12_345)).toBe('Noch 12.345 Dateien können geöffnet werden.');
  expect(GUEST_TEXTS.en.invitationFiles(1000)).toBe('1,000 files are waiting for you');
  expect(GUEST_TEXTS.de.invitationFiles(1000)).toBe('1.000 Dateien warten auf Sie');
  const frame = { host: 'ada.example.org', language: 'en' } as const;
  expect(archiveLink(frame, 'too-many', '')).toContain('ZIP archives contain 5,000 files at most.');
});

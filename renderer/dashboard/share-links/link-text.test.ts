import { expect, it } from 'vitest';
import { linkEndText } from './link-text.ts';

const expires = Date.UTC(2026, 2, 1, 12);

it.each([
  [{ expires, state: 'active' as const }, /^Ends 1 Mar/],
  [{ expires, state: 'used-up' as const }, /^Ends 1 Mar/],
  [{ expires, state: 'expired' as const }, /^Ended 1 Mar/],
  [{ expires: null, state: 'active' as const }, /^Does not expire$/],
])('says when a link ends: %o', (link, text) => {
  expect(linkEndText(link)).toMatch(text);
});

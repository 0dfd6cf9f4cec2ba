import { describe, expect, it } from 'vitest';
import type { Language } from '../../../../wire/language.ts';
import { endedInvitationPage, signInPage } from './entry.ts';
import { endedPasswordLinkPage } from './password-link.ts';

// Tests the texts for guests whose invitation, password link or sign-in does not work.

const frame = (language: Language) => ({ host: 'ada.example.org', language });
const headingOf = (html: string): string => /<h1>(?<text>[^<]+)<\/h1>/u.exec(html)?.groups?.['text'] ?? '';
const problemOf = (html: string): string => /role="alert">(?<text>[^<]+)</u.exec(html)?.groups?.['text'] ?? '';
const hasSignIn = (html: string): boolean => html.includes('href="/guest/sign-in"');

describe('an invitation that does not work', () => {
  it.each([
    ['unknown', 'This invitation does not work', 'Diese Einladung funktioniert nicht'],
    ['expired', 'This invitation has expired', 'Diese Einladung ist abgelaufen'],
    ['revoked', 'This invitation was withdrawn', 'Diese Einladung wurde zurückgezogen'],
    ['accepted', 'This invitation was already used', 'Diese Einladung wurde schon benutzt'],
  ] as const)(
    'says why in both languages, and links to the sign-in page only if it was used: %s',
    (reason, english, german) => {
      expect(headingOf(endedInvitationPage(frame('en'), reason))).toBe(english);
      expect(headingOf(endedInvitationPage(frame('de'), reason))).toBe(german);
      expect(hasSignIn(endedInvitationPage(frame('en'), reason))).toBe(reason === 'accepted');
    },
  );
});

describe('a link for a new password that does not work', () => {
  it.each([
    ['expired', 'This link has expired', 'Dieser Link ist abgelaufen'],
    ['revoked', 'This link was withdrawn', 'Dieser Link wurde zurückgezogen'],
    ['accepted', 'This link was already used', 'Dieser Link wurde schon benutzt'],
  ] as const)(
    'says why in both languages, and links to the sign-in page only if it was used: %s',
    (reason, english, german) => {
      expect(headingOf(endedPasswordLinkPage(frame('en'), reason))).toBe(english);
      expect(headingOf(endedPasswordLinkPage(frame('de'), reason))).toBe(german);
      expect(hasSignIn(endedPasswordLinkPage(frame('de'), reason))).toBe(reason === 'accepted');
    },
  );
});

describe('a refused sign-in', () => {
  const refusalText = (language: Language, content: Omit<Parameters<typeof signInPage>[1], 'passkey'>): string =>
    problemOf(signInPage(frame(language), { ...content, passkey: undefined }));

  it('says when the next attempt is possible after too many attempts', () => {
    expect(refusalText('en', { problem: 'wait', waitSeconds: 2 })).toBe(
      'Too many attempts to sign in, so this one was not checked. Try again in 2 seconds.',
    );
    expect(refusalText('en', { problem: 'wait', waitSeconds: 1 })).toMatch(/Try again in one second\.$/u);
    expect(refusalText('de', { problem: 'wait', waitSeconds: 2 })).toBe(
      'Zu viele Versuche. Dieser wurde nicht geprüft. Versuchen Sie es in 2 Sekunden noch einmal.',
    );
  });

  it('has one text for wrong credentials and for ended access, which does not reveal which names exist', () => {
    expect(refusalText('en', { problem: 'wrong' })).toBe('Name or password is wrong, or your access has ended.');
    expect(refusalText('de', { problem: 'wrong' })).toBe('Name oder Passwort ist falsch, oder Ihr Zugang ist beendet.');
  });
});

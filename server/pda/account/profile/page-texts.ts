import type { Language } from '../../../wire/language.ts';

/** Texts of the public profile page. */
export const PAGE_TEXTS = {
  en: {
    photoOf: (name: string) => `Photo of ${name}`,
    place: 'Place',
    email: 'Email',
    phone: 'Phone',
    website: 'Website',
    birthday: 'Birthday',
    notes: 'Notes',
    emptyTitle: 'Nothing to see here',
    emptyText: 'The owner of this address has no public profile.',
    footer: (host: string) => `${host} is a Personal Data Account. This is the profile that its owner has made public.`,
    jsonLink: 'This page as JSON',
    tooLarge: 'The public data is too large for this page. Programs can read all of it.',
  },
  de: {
    photoOf: (name: string) => `Foto von ${name}`,
    place: 'Ort',
    email: 'E-Mail',
    phone: 'Telefon',
    website: 'Website',
    birthday: 'Geburtstag',
    notes: 'Notizen',
    emptyTitle: 'Hier gibt es nichts zu sehen',
    emptyText: 'Der Inhaber dieser Adresse hat kein öffentliches Profil.',
    footer: (host: string) =>
      `${host} ist ein Personal Data Account. Dies ist das Profil, das sein Inhaber veröffentlicht hat.`,
    jsonLink: 'Diese Seite als JSON',
    tooLarge: 'Die öffentlichen Daten sind zu umfangreich für diese Seite. Programme können alles lesen.',
  },
} as const satisfies Readonly<Record<Language, unknown>>;

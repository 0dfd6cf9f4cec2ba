import type { Language } from '../../../wire/language.ts';

/** Texts of the public page, in the language that the browser prefers. */
export const PAGE_WORDS = {
  en: {
    photoOf: (name: string) => `Photo of ${name}`,
    place: 'Place',
    email: 'E-mail',
    phone: 'Phone',
    website: 'Website',
    birthday: 'Birthday',
    notes: 'Notes',
    nothing: 'Nothing to see here',
    nothingText: 'The owner of this address has no public profile.',
    foot: (host: string) =>
      `${host} is a Personal Data Account. What you see here is all that its owner shows to everybody.`,
    programs: 'This page for programs',
    long: 'There is more than fits on a page. Programs can read all of it.',
  },
  de: {
    photoOf: (name: string) => `Foto von ${name}`,
    place: 'Ort',
    email: 'E-Mail',
    phone: 'Telefon',
    website: 'Website',
    birthday: 'Geburtstag',
    notes: 'Notizen',
    nothing: 'Hier gibt es nichts zu sehen',
    nothingText: 'Wem diese Adresse gehört, zeigt Fremden nichts von sich.',
    foot: (host: string) =>
      `${host} ist ein Personal Data Account. Mehr als das, was hier steht, zeigt sein Inhaber nicht jedem.`,
    programs: 'Dasselbe für Programme',
    long: 'Es ist mehr, als auf eine Seite passt. Programme können alles lesen.',
  },
} as const satisfies Readonly<Record<Language, unknown>>;

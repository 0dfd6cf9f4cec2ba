import { count } from '../../../shared/format/format.ts';
import type { profile as en } from '../en/profile.ts';
import type { Localised } from '../../../shared/messages/localised.ts';

/** Settings → Profile. */
export const profile = {
  pageTitle: 'Profil',
  lead: 'Was du über dich sagst und welche Teile davon öffentlich sind. Jeder Schalter ist aus, bis du ihn einschaltest.',
  aboutYou: 'Über dich',
  fields: {
    name: 'Name',
    headline: 'Was du machst',
    about: 'Über dich',
    place: 'Ort',
    email: 'E-Mail',
    phone: 'Telefon',
    website: 'Website',
    birthday: 'Geburtstag',
    photo: 'Foto',
    notables: 'Notizen',
  },
  hints: {
    headline: 'Eine Zeile, zum Beispiel dein Beruf',
    place: 'So genau, wie du möchtest',
    website: 'Beginnt mit https://',
  },
  publicLabel: 'Öffentlich',
  publicLabelOf: (field) => `Öffentlich: ${field}`,
  saved: 'Gespeichert. Es sind dieselben Felder öffentlich wie vorher.',
  invalidWebsite: 'Gib die vollständige Adresse ein, zum Beispiel https://example.org/',
  invalidEmail: 'Gib eine gültige E-Mail-Adresse ein.',
  photo: {
    choose: 'Foto wählen',
    replace: 'Anderes Foto wählen',
    hint: 'Die Mitte wird quadratisch zugeschnitten. Daten zu Ort, Zeit und Kamera werden entfernt, bevor das Foto gespeichert wird.',
    unreadable: 'Diese Datei lässt sich nicht als Bild lesen.',
    alt: 'Dein Foto',
  },
  notables: (n) =>
    n === 0
      ? 'In profile/notables ist kein Datensatz als öffentlich markiert.'
      : `${count(n, 'Datensatz', 'Datensätze')} in profile/notables ${n === 1 ? 'ist' : 'sind'} als öffentlich markiert.`,
  publicPage: {
    title: 'Was anonyme Besucher sehen',
    nothing: 'Nichts. Deine Profilseite sagt, dass es nichts zu sehen gibt.',
    at: 'Adresse:',
    onlyHere: 'Dein PDA hat keine öffentliche Adresse. Zurzeit kann nur dieser Computer die Seite öffnen.',
    frame: 'Dein Profil, wie anonyme Besucher es sehen',
    open: 'Seite öffnen',
  },
  bundle: {
    title: 'Ein Datenbündel bestimmt, was anonyme Besucher sehen',
    text: 'In deinem Konto ist das Datenbündel phata gespeichert, das dein Profil ersetzt. Die Schalter hier bewirken nichts, bis du dieses Datenbündel entfernst.',
    remove: 'Datenbündel entfernen',
  },
  record: 'Anwendungen lesen das mit deiner Zustimmung als neuesten Datensatz in',
} satisfies Localised<typeof en>;

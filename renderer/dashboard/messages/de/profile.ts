import { count } from '../../../shared/format/format.ts';
import type { profile as en } from '../en/profile.ts';
import type { Localised } from '../../../shared/messages/localised.ts';

/** Einstellungen → Profil. */
export const profile = {
  pageTitle: 'Profil',
  lead: 'Was du über dich sagst, und was davon alle sehen dürfen. Jeder Schalter ist aus, bis du ihn einschaltest.',
  mine: 'Über dich',
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
  shown: 'Alle sehen es',
  showLabel: (field) => `Allen zeigen: ${field}`,
  save: 'Speichern',
  saved: 'Gespeichert. Dadurch ist nichts öffentlich geworden.',
  badWebsite: 'Schreib die ganze Adresse, zum Beispiel https://example.org/',
  badEmail: 'Das ist keine E-Mail-Adresse.',
  photo: {
    none: 'Noch kein Foto',
    choose: 'Foto wählen',
    replace: 'Anderes wählen',
    remove: 'Entfernen',
    hint: 'Die Mitte wird als Quadrat ausgeschnitten. Ort, Zeit und Kamera werden entfernt, bevor es aufgehoben wird.',
    unreadable: 'Diese Datei lässt sich nicht als Bild lesen.',
    alt: 'Dein Foto',
  },
  notables: (n) =>
    n === 0
      ? 'Einträge in profile/notables, die als öffentlich markiert sind. Es gibt keine.'
      : `${count(n, 'Eintrag', 'Einträge')} in profile/notables, als öffentlich markiert.`,
  strangers: {
    title: 'Was Fremde sehen',
    nothing: 'Nichts. Wer dein Profil öffnet, erfährt, dass es nichts zu sehen gibt.',
    at: 'Unter',
    onlyHere: 'Dein PDA hat keine öffentliche Adresse. Zurzeit kann nur dieser Computer die Seite öffnen.',
    frame: 'Dein Profil, wie Fremde es sehen',
    open: 'Seite öffnen',
  },
  bundle: {
    title: 'Ein Programm bestimmt, was Fremde sehen',
    text: 'Es hat ein Bundle namens phata angelegt, das an die Stelle deines Profils tritt. Die Schalter hier bewirken nichts, bis du es zurücknimmst.',
    remove: 'Zurücknehmen',
  },
  record: 'Anwendungen lesen das mit deiner Zustimmung als neuesten Eintrag in',
  technical: 'profile/me',
} satisfies Localised<typeof en>;

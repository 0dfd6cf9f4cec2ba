import { count, number } from '../../../shared/format/format.ts';
import { list } from '../../../shared/messages/de/consent.ts';
import type { timeline as en } from '../en/timeline.ts';
import type { Localised } from '../../../shared/messages/localised.ts';

export const timeline = {
  pageTitle: 'Zeitleiste',
  lead: 'Ereignisse in deinem Leben, aus deinen Daten.',
  empty: {
    title: 'Noch nichts in deiner Zeitleiste',
    text: 'Einträge kommen aus deinen Quellen und Funktionen: Jeder Datensatz mit Quelle, Datum und Arten im Format der Zeitleiste ist ein Eintrag. Schalte eine Funktion ein, die Einträge erzeugt, oder importiere Daten, die welche enthalten. Bilder in Dateien erscheinen am Tag ihrer Aufnahme.',
    functions: 'Funktionen öffnen',
    filteredTitle: 'Keine passenden Einträge',
    filteredText: 'Kein Eintrag passt zur gewählten Quelle und zum gewählten Tag.',
    clear: 'Filter zurücksetzen',
  },
  filter: {
    source: 'Quelle',
    all: 'Alle Quellen',
    day: 'Bis',
    clearDay: 'Datum löschen',
    option: (name: string, endpoint: string) => `${name} (${endpoint})`,
  },
  today: 'Heute',
  yesterday: 'Gestern',
  tomorrow: 'Morgen',
  toCome: (day: string) => `${day}, bevorstehend`,
  open: 'Datensatz öffnen',
  openLabel: (what: string) => `Datensatz öffnen: ${what}`,
  untitled: 'Eintrag',
  pictures: (n: number) => (n === 1 ? 'Das Bild zeigen' : `Die ${number(n)} Bilder zeigen`),
  picturesHint: 'Dein PDA lädt sie von ihrer Quelle',
  picture: (at: number) => `Bild ${number(at)}`,
  noPicture: 'Das Bild konnte nicht geladen werden.',
  dayPictures: (n: number) => count(n, 'Bild', 'Bilder'),
  openPicture: (name: string) => `Bild öffnen: ${name}`,
  morePictures: (n: number) => `${number(n)} weitere in der Galerie`,
  near: (cities: readonly string[]) => `Bei ${list(cities)}`,
  more: 'Mehr zeigen',
  moreItems: (n: number) => `und ${count(n, 'weiterer', 'weitere')}`,
  end: 'Anfang der Zeitleiste.',
  loadMore: 'Frühere Einträge',
  loadingMore: 'Frühere Einträge werden geladen',
} satisfies Localised<typeof en>;

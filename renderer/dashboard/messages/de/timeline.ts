import { count, number } from '../../../shared/format/format.ts';
import type { timeline as en } from '../en/timeline.ts';
import type { Localised } from '../../../shared/messages/localised.ts';

export const timeline = {
  pageTitle: 'Zeitleiste',
  lead: 'Was in deinem Leben geschah, deinen Daten nach.',
  empty: {
    title: 'Noch nichts in deiner Zeitleiste',
    text: 'Einträge kommen aus deinen Quellen und von Funktionen: Ein Datensatz mit Titel, Zeit und Quelle ist einer. Schalte eine Funktion ein, die welche macht, oder importiere Daten, die sie enthalten.',
    functions: 'Funktionen öffnen',
    filteredTitle: 'Da ist nichts',
    filteredText: 'Kein Eintrag dieser Quelle oder vor diesem Tag.',
    clear: 'Alles zeigen',
  },
  filter: {
    source: 'Quelle',
    all: 'Alle Quellen',
    day: 'Bis zum Tag',
    clearDay: 'Bis jetzt',
    option: (name: string, endpoint: string) => `${name} (${endpoint})`,
  },
  today: 'Heute',
  yesterday: 'Gestern',
  tomorrow: 'Morgen',
  toCome: (day: string) => `${day}, kommt noch`,
  open: 'Datensatz öffnen',
  openLabel: (what: string) => `Datensatz öffnen: ${what}`,
  untitled: 'Eintrag',
  pictures: (n: number) => (n === 1 ? 'Das Bild zeigen' : `Die ${number(n)} Bilder zeigen`),
  picturesHint: 'Dein PDA holt sie von dort, wo sie liegen',
  picture: (at: number) => `Bild ${number(at)}`,
  noPicture: 'Das Bild konnte nicht geholt werden.',
  more: 'Alles zeigen',
  moreItems: (n: number) => `und ${count(n, 'weiterer', 'weitere')}`,
  end: 'Das ist der Anfang.',
  loadMore: 'Frühere Einträge',
  loadingMore: 'Frühere Einträge werden geladen',
} satisfies Localised<typeof en>;

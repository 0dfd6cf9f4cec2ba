import { count, number } from '../../../shared/format/format.ts';
import type { offers as en } from '../en/offers.ts';
import type { Localised } from '../../../shared/messages/localised.ts';

const people = (n: number) => count(n, 'Person', 'Personen');
const records = (n: number) => count(n, 'Datensatz', 'Datensätze');

export const offers = {
  tabs: { label: 'Anfragen und Angebote', requests: 'Für deine Entscheidung', offers: 'Angebote' },
  pageTitle: 'Angebote',
  lead: 'Was Organisationen dir für einen Teil deiner Daten anbieten. Die Teilnahme gibt noch nichts frei: Sie erzeugt eine Anfrage, die du erlauben oder ablehnen kannst.',
  asOf: 'Liste der Vermittlung, Stand',
  groups: {
    waiting: 'Warten auf deine Entscheidung',
    open: 'Jetzt offen',
    sharing: 'Du nimmst teil',
    closed: 'Nicht offen',
  },
  search: 'Ein Angebot suchen',
  noMatch: (text: string) => `Kein Angebot passt zu „${text}“.`,
  by: (name: string) => `von ${name}`,
  asksFor: (what: string) => `Bekäme ${what}`,
  gets: (what: string) => `Bekommt ${what}`,
  askedFor: (what: string) => `Angefragt war ${what}`,
  for: (span: string) => `für ${span}`,
  matchingCount: (n: number) => (n === 0 ? 'du hast jetzt keine solchen Datensätze' : `du hast ${records(n)} davon`),
  states: {
    open: 'Offen',
    closed: 'Nicht offen',
    waiting: 'Wartet auf deine Entscheidung',
    sharing: 'Freigegeben',
    stopped: 'Beendet',
    rejected: 'Du hast abgelehnt',
  },
  empty: {
    noExchange: 'Keine Vermittlung',
    noExchangeText:
      'Organisationen machen Angebote über eine Vermittlung: was sie anfragen, zu welchem Zweck, und was du dafür bekommst. Dein PDA ist mit keiner Vermittlung verbunden. Du kannst in den Einstellungen eine wählen. Das gibt nichts frei.',
    choose: 'Eine Vermittlung wählen',
    none: 'Keine aktuellen Angebote',
    noneText: (exchange: string) => `Bei ${exchange} gibt es gerade keine Angebote. Neue erscheinen hier automatisch.`,
  },
  notRegistered: {
    title: (exchange: string) => `Dein PDA ist nicht bei ${exchange} eingetragen`,
    text: 'Bis es eingetragen ist, kannst du Angebote nur ansehen, nicht an ihnen teilnehmen.',
    go: 'Netzwerk einstellen',
  },
  unavailable: {
    title: (exchange: string) => `${exchange} ist gerade nicht erreichbar`,
    asOf: 'Stand',
    never: 'Die Angebote dort wurden noch nicht geladen.',
  },
  notFound: {
    title: 'Angebot nicht gefunden',
    text: 'Es wurde zurückgezogen, oder die Adresse ist unvollständig.',
    all: 'Alle Angebote',
  },
  page: {
    atMostText: (what: string, span: string) => `${what}, für ${span}.`,
    collects: 'Wie lange',
    collectsText: (span: string) => `${span} ab deiner Teilnahme. Danach endet die Freigabe automatisch.`,
    people: 'Wie viele Personen',
    upTo: (n: number) => `Höchstens ${people(n)}.`,
    exactly: (n: number) => `${people(n)}.`,
    from: (minimum: number, maximum: number) => `${number(minimum)} bis ${people(maximum)}.`,
    minimumText: (minimum: number, name: string) =>
      `${name} kann keine Daten lesen, bis ${people(minimum)} es erlaubt haben.`,
    until: 'Offen bis',
    opens: 'Offen ab',
    providerText:
      'Titel, Zweck und Bild stammen von der Organisation. Der Betreiber der Vermittlung hat sie genehmigt. Was freigegeben wird, kontrolliert dein PDA.',
    technical: {
      id: 'Angebot (Offer)',
      provider: 'Anbieter',
      bundle: 'Datenbündel',
      show: 'Das Angebot als JSON zeigen',
      json: 'Das Angebot als JSON',
    },
  },
  claim: {
    action: 'Teilnehmen',
    title: 'Die Teilnahme gibt noch nichts frei',
    text: (exchange: string, name: string) =>
      `Die Teilnahme erzeugt eine Anfrage nach allem, was unten steht. Die Anfrage wartet auf deine Entscheidung, und du kannst jeden Teil weglassen oder alles ablehnen. ${exchange} erfährt, dass dein PDA teilnimmt. ${name} erfährt die Adresse deines PDA erst, wenn du die Anfrage erlaubt hast.`,
    done: (title: string) => `Du nimmst an „${title}“ teil`,
    doneText: 'Noch ist nichts freigegeben. Sieh dir an, was angefragt wird, und entscheide.',
  },
  closed: {
    ended: (day: string) => `Es war bis ${day} offen`,
    later: (day: string) => `Es ist ab ${day} offen`,
    full: 'Es hat die Höchstzahl der Teilnehmer erreicht',
    text: 'Für dieses Angebot ist nichts freigegeben.',
    cannotTakePart: 'Du kannst jetzt nicht teilnehmen',
    cannotTakePartText: 'Dein PDA ist nicht bei der Vermittlung dieses Angebots eingetragen.',
  },
  notice: {
    waiting: 'Du nimmst teil, und noch ist nichts freigegeben',
    waitingText: 'Die Anfrage wartet auf deine Entscheidung.',
    sharing: (name: string) => `Du hast die Anfrage von ${name} erlaubt`,
    view: 'Ansehen, was freigegeben ist',
    rejected: 'Du hast die Anfrage abgelehnt',
    rejectedText: 'Es wird nichts freigegeben.',
    ended: (name: string) => `${name} kann diese Daten nicht mehr lesen`,
    endedText: 'Was vorher gelesen wurde, steht unter Zugriffe.',
  },
} satisfies Localised<typeof en>;

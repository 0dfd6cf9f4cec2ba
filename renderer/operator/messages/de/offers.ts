import { count, number } from '../../../shared/format/format.ts';
import type { Localised } from '../../../shared/messages/localised.ts';
import type { offers as en } from '../en/offers.ts';

const pdas = (n: number) => count(n, 'PDA', 'PDAs');

export const offers = {
  pageTitle: 'Angebote',
  lead: 'Angebote an Eigentümer von PDAs im Tausch gegen Daten. Eigentümer sehen ein Angebot, sobald du es genehmigt hast.',
  leadOwn: 'Deine Angebote. PDAs können an einem Angebot teilnehmen, sobald ein Administrator es genehmigt hat.',
  pendingTitle: 'Warten auf eine Entscheidung',
  nonePending: 'Kein Angebot wartet.',
  othersTitle: 'Entschieden',
  stateFilterLabel: 'Nach Status filtern',
  lists: { approved: 'Genehmigt', rejected: 'Abgelehnt' },
  emptyTexts: { approved: 'Keine genehmigten Angebote.', rejected: 'Keine abgelehnten Angebote.' },
  noneOwn: 'Du hast noch keine Angebote',
  noneOwnText: 'Lege eines mit POST /api/v2/offer an. Es wartet dann auf die Entscheidung eines Administrators.',
  states: {
    draft: 'Wartet',
    approved: 'Genehmigt',
    rejected: 'Abgelehnt',
    satisfied: 'Hat genug PDAs',
    oversubscribed: 'Voll',
  },
  expired: 'Abgelaufen',
  by: (provider: string) => `von ${provider}`,
  until: (day: string) => `bis ${day}`,
  expiredOn: (day: string) => `abgelaufen am ${day}`,
  counts: (claimed: number, maximum: number) => `${number(claimed)} von ${pdas(maximum)}`,
  upTo: (maximum: number) => `bis zu ${pdas(maximum)}`,
  singular: 'Angebot',
  plural: 'Angebote',
  notFound: 'Angebot nicht gefunden',
  notFoundText: 'Es existiert nicht oder gehört zu einem anderen Konto.',
  all: 'Alle Angebote',
  page: {
    approve: 'Genehmigen',
    reject: 'Ablehnen',
    withdraw: 'Zurückziehen',
    facts: 'Einzelheiten',
    term: {
      claimable: 'Teilnahme möglich',
      collection: 'Daten werden freigegeben für',
      pdaLimits: 'Anzahl der PDAs',
      claims: 'Teilnahmen',
      purpose: 'Beschreibung für Eigentümer',
      site: 'Website',
      conditions: 'Bedingungen',
      logo: 'Logo',
    },
    span: (from: string, to: string) => `von ${from} bis ${to}`,
    collection: (span: string) => `${span} ab der Zustimmung des Eigentümers`,
    pdaLimits: (minimum: number, maximum: number) =>
      minimum <= 1
        ? `höchstens ${pdas(maximum)}; freigegebene Daten lassen sich ab der ersten Bestätigung lesen`
        : `höchstens ${pdas(maximum)}; freigegebene Daten lassen sich lesen, sobald ${number(minimum)} bestätigt haben`,
    claims: (claimed: number, confirmed: number) =>
      `${count(claimed, 'Teilnahme', 'Teilnahmen')}, ${number(confirmed)} bestätigt`,
    data: 'Freigegebene Daten',
    dataText: 'Jeder Eigentümer sieht diese Felder mit seinen eigenen Datensätzen, bevor er zustimmt.',
    conditions: 'Voraussetzungen',
    conditionsText: 'Nur für PDAs, die zu jeder dieser Angaben mindestens einen Datensatz haben.',
    noConditions: 'Keine: Jedes PDA kann teilnehmen.',
    statusText: {
      draft: 'Es wartet auf deine Entscheidung. Kein PDA sieht es.',
      draftOwn: 'Es wartet auf die Entscheidung eines Administrators. Kein PDA sieht es.',
      draftExpired:
        'Es ist vor deiner Entscheidung abgelaufen. Du kannst es erst genehmigen, wenn der Anbieter es verlängert hat.',
      approved: 'PDAs können teilnehmen.',
      later: (day: string) => `PDAs sehen es und können ab ${day} teilnehmen.`,
      expired: 'Es ist abgelaufen. Begonnene Teilnahmen laufen weiter.',
      rejected: 'Kein PDA sieht es.',
      satisfied: 'Genug PDAs haben bestätigt; andere können noch teilnehmen.',
      oversubscribed: 'Die Höchstzahl der Teilnahmen ist erreicht.',
    },
    approveTitle: (title: string) => `„${title}“ genehmigen?`,
    approveText: (maximum: number) =>
      `Alle PDAs werden es sehen. PDAs, die seine Voraussetzungen erfüllen, können ab dem Startdatum teilnehmen: höchstens ${pdas(maximum)}. Jeder Eigentümer entscheidet selbst.`,
    rejectTitle: (title: string) => `„${title}“ ablehnen?`,
    rejectText: 'Kein PDA sieht es. Der Anbieter sieht hier, dass es abgelehnt wurde.',
    withdrawTitle: (title: string) => `„${title}“ zurückziehen?`,
    withdrawText:
      'PDAs können es dann nicht mehr sehen und nicht mehr daran teilnehmen. Eigentümer, die zugestimmt haben, geben weiter frei, bis sie die Freigabe beenden oder sie abläuft.',
    notYet: 'Noch nicht',
    keep: 'Nicht ändern',
    approved: (title: string) => `„${title}“ ist genehmigt`,
    rejected: (title: string) => `„${title}“ wurde abgelehnt`,
    withdrawn: (title: string) => `„${title}“ wurde zurückgezogen`,
    json: { show: 'Als JSON zeigen', json: 'Das Angebot (Offer) als JSON' },
  },
  claims: {
    title: 'Bestätigte Teilnahmen',
    progress: (confirmed: number, minimum: number) =>
      `${number(confirmed)} von ${number(minimum)} haben bestätigt. Die Teilnahmen werden gezeigt, sobald es genug sind.`,
    none: 'Noch hat kein PDA bestätigt.',
    pda: 'PDA',
    debit: 'Datenfreigabe',
    claimed: 'Teilgenommen',
    credentialsHint: 'Benutzernamen und Passwörter der Teilnahmen erhältst du mit GET /api/v2/offer/<id>/claims.',
    singular: 'Teilnahme',
    plural: 'Teilnahmen',
  },
} satisfies Localised<typeof en>;

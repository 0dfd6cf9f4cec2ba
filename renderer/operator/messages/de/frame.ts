import { count } from '../../../shared/format/format.ts';
import { shell } from '../../../shared/messages/de/shell.ts';
import type { Localised } from '../../../shared/messages/localised.ts';
import type { frame as en } from '../en/frame.ts';

/** Frame, sign-in and texts shared by all pages of the exchange. */
export const frame = {
  product: 'Vermittlung',
  nav: {
    overview: 'Übersicht',
    applications: 'Anwendungen',
    offers: 'Angebote',
    plugs: 'Anschlüsse',
    pdas: 'PDAs',
    data: 'Vorhandene Daten',
    accounts: 'Konten',
    audit: 'Protokoll',
  },
  waiting: (n: number) => (n === 1 ? ', 1 wartet auf eine Entscheidung' : `, ${n} warten auf eine Entscheidung`),
  signIn: {
    pageTitle: 'Anmelden',
    title: 'Bei der Vermittlung anmelden',
    ended: 'Deine Sitzung ist zu Ende. Melde dich an, um dort weiterzumachen, wo du warst.',
    name: 'Name',
    password: 'Passwort',
    submit: 'Anmelden',
    missingName: 'Gib den Namen deines Kontos ein.',
    missingPassword: 'Gib das Passwort ein.',
    wrong: 'Der Name oder das Passwort stimmt nicht, oder das Konto ist gesperrt.',
  },
  problem: {
    unreachable:
      'Die Vermittlung antwortet nicht. Nichts wurde geändert. Sieh nach, ob sie läuft, und versuche es noch einmal.',
    unreadable:
      'Etwas zwischen dieser Seite und der Vermittlung hat eine unlesbare Antwort geschickt. Nichts wurde geändert.',
    internal: 'In der Vermittlung ist ein Fehler aufgetreten. Was geschah, ist unter der Anfragenummer unten vermerkt.',
    rateLimited: (seconds: number | undefined) =>
      seconds === undefined
        ? 'Zu viele Versuche in kurzer Zeit. Warte einen Moment und versuche es dann noch einmal.'
        : `Zu viele Versuche in kurzer Zeit. Versuche es in ${count(Math.ceil(seconds), 'Sekunde', 'Sekunden')} noch einmal.`,
    refused: shell.problem.refused,
    outOfDisk:
      'Die Festplatte der Vermittlung ist voll. Was schon da war, bleibt; Neues kann nicht gespeichert werden.',
  },
  notYours: {
    title: 'Du hast keinen Zugriff auf diese Seite',
    text: 'Deinem Konto fehlt die nötige Rolle. Ein Administrator der Vermittlung kann sie ihm geben.',
  },
  notFound: {
    title: 'Seite nicht gefunden',
    text: 'Die Adresse ist unvollständig, oder die Seite gibt es nicht mehr.',
  },
  home: 'Zur Übersicht',
  list: {
    more: 'Mehr zeigen',
    loadingMore: 'Mehr wird geladen',
    end: (n: number, one: string, other: string) => (n === 0 ? '' : `${count(n, one, other)}. Das ist alles.`),
  },
  cancel: 'Abbrechen',
  never: 'Nie',
  changed: 'Es wurde geändert, nachdem du es angesehen hast. Nichts wurde entschieden; so ist es jetzt.',
  roles: {
    developer: { name: 'Entwickler', text: 'Reicht Anwendungen ein' },
    dataPlug: { name: 'Datenanschluss', text: 'Betreibt Datenanschlüsse (Data Plugs)' },
    marketPlace: { name: 'Marktplatz', text: 'Macht Angebote und liest, was daraus wurde' },
    management: { name: 'Verwaltung', text: 'Beschreibt die vorhandenen Daten' },
    administrator: { name: 'Administrator', text: 'Alles, und entscheidet über alles' },
  },
} satisfies Localised<typeof en>;

import { count, number } from '../../../shared/format/format.ts';
import { shell } from '../../../shared/messages/de/shell.ts';
import type { Localised } from '../../../shared/messages/localised.ts';
import type { frame as en } from '../en/frame.ts';

/** Frame, sign-in and messages of several pages. */
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
  waiting: (n: number, isMinimum: boolean) =>
    n === 1
      ? ', 1 wartet auf eine Entscheidung'
      : `, ${number(n)}${isMinimum ? ' oder mehr' : ''} warten auf eine Entscheidung`,
  signIn: {
    pageTitle: 'Anmelden',
    title: 'Bei der Vermittlung anmelden',
    signedOut: 'Du bist abgemeldet.',
    ended: 'Deine Sitzung ist beendet. Melde dich an, um dort weiterzumachen, wo du warst.',
    name: 'Name',
    password: 'Passwort',
    submit: 'Anmelden',
    missingName: 'Gib den Namen deines Kontos ein.',
    missingPassword: 'Gib das Passwort ein.',
    wrong: 'Falscher Name oder falsches Passwort, oder das Konto ist gesperrt.',
  },
  problem: {
    unreachable:
      'Die Vermittlung antwortet nicht. Sieh nach, ob sie läuft, und versuche es noch einmal. Wenn du gerade etwas geändert hast, prüfe zuerst, ob die Änderung angekommen ist.',
    unreadable:
      'Etwas zwischen dieser Seite und der Vermittlung hat eine unlesbare Antwort gesendet. Wenn du gerade etwas geändert hast, prüfe, ob die Änderung angekommen ist.',
    internal:
      'In der Vermittlung ist ein Fehler aufgetreten. Einzelheiten stehen in ihrem Protokoll, unter der Anfragenummer unten.',
    rateLimited: (seconds: number | undefined) =>
      seconds === undefined
        ? 'Zu viele Versuche in kurzer Zeit. Warte einen Moment und versuche es dann noch einmal.'
        : `Zu viele Versuche in kurzer Zeit. Versuche es in ${count(Math.ceil(seconds), 'Sekunde', 'Sekunden')} noch einmal.`,
    refused: shell.problem.refused,
    outOfDisk:
      'Die Festplatte der Vermittlung ist voll. Vorhandene Daten bleiben, aber neue können nicht gespeichert werden.',
  },
  noAccess: {
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
    end: (n: number, singular: string, plural: string) => (n === 0 ? '' : `Insgesamt ${count(n, singular, plural)}`),
  },
  never: 'Nie',
  roles: {
    developer: { name: 'Entwickler', text: 'Reicht Anwendungen ein' },
    dataPlug: { name: 'Datenanschluss', text: 'Betreibt Datenanschlüsse (Data Plugs)' },
    marketPlace: { name: 'Marktplatz', text: 'Erstellt Angebote und liest die Teilnahmen' },
    management: { name: 'Verwaltung', text: 'Beschreibt die vorhandenen Daten' },
    administrator: { name: 'Administrator', text: 'Hat vollen Zugriff und trifft alle Entscheidungen' },
  },
} satisfies Localised<typeof en>;

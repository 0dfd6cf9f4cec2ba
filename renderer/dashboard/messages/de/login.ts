import { count } from '../../../shared/format/format.ts';
import type { login as en } from '../en/login.ts';
import type { Localised } from '../../../shared/messages/localised.ts';

export const login = {
  windowTitle: (application: string) => (application === '' ? 'Anmelden' : `Bei ${application} anmelden`),
  yourPda: (name: string) => `Dein PDA ${name}`,
  signIn: {
    title: (pda: string, application: string) => {
      const target = pda === '' ? 'deinem PDA' : pda;
      return application === '' ? `Bei ${target} anmelden` : `Bei ${target} anmelden und weiter zu ${application}`;
    },
    ownPda: 'Diese Seite kommt von deinem eigenen PDA. Dein Passwort wird nur dorthin gesendet.',
    submit: 'Anmelden und weiter',
  },
  notSetUp: {
    text: 'Richte es zuerst ein, mit der Einmaladresse, die es beim Start ausgegeben hat. Melde dich dann noch einmal von der Anwendung aus an.',
  },
  consent: {
    title: (application: string) => `${application} verbinden?`,
    titleAgain: (application: string) => `${application} wieder verbinden?`,
    titleUpdate: (application: string) => `${application} fragt noch einmal an`,
    text: (application: string) =>
      `${application} bittet dich, dich mit deinem PDA anzumelden. Die Anwendung bekäme nur, was hier steht.`,
    textAgain: (application: string) =>
      `Du hast ${application} gestoppt. Die Anwendung hat jetzt keinen Zugriff. Von nun an bekäme sie:`,
    textEnded: (application: string) =>
      `Die Datenfreigabe, die ${application} braucht, ist nicht mehr aktiv. Von nun an bekäme die Anwendung:`,
    textUpdate: (before: string, now: string) =>
      `Du hast Version ${before} erlaubt. Version ${now} braucht deine Zustimmung. Bis du entscheidest, bleiben die bisherigen Rechte unverändert.`,
    howLong: 'Wie lange',
    developerText:
      'Name, Bild und Zweck stammen von den Entwicklern. Was die Anwendung bekommt, kontrolliert dein PDA.',
    more: 'Neu: Die Anwendung dürfte auch',
    same: 'Wie bisher dürfte die Anwendung',
    less: 'Nicht mehr',
    nothingByKey: 'Nichts mit ihrem eigenen Schlüssel. Sie bekommt nur die Daten unten.',
    nothing: 'Kein Zugriff auf deine Daten. Sie erfährt die Adresse deines PDA und dass es dir gehört.',
    ownerMeans: 'Alle deine jetzigen und künftigen Datensätze. Sie kann nicht in deinem Namen Anfragen zustimmen.',
    until: (until: string) =>
      `Die freigegebenen Daten bis ${until}. Alles andere, bis du die Anwendung stoppst. Das kannst du jederzeit.`,
    untilStopped: 'Bis du die Anwendung stoppst. Das kannst du jederzeit, und es wirkt sofort.',
    everythingExcluded: 'Du hast alle Daten weggelassen. Ganz ohne Daten lässt sich die Anwendung nicht verbinden.',
    privateDataText: (endpoints: number, records: number) =>
      `${count(endpoints, 'Endpunkt', 'Endpunkte')} mit ${count(records, 'Datensatz', 'Datensätzen')}, die sie nicht lesen könnte.`,
    privateDataNone: 'Keiner deiner Datensätze. Sie könnte alle lesen.',
    privateDataEmpty: 'Du hast noch keine anderen Datensätze.',
    privateDataOther:
      'Sie hat keinen Zugriff auf Dateien anderer Quellen, dein Passwort oder deine anderen Einwilligungen.',
    returnsTo: 'Du kehrst zurück zu',
    returnsText:
      'Die Anwendung bekommt einen eigenen Schlüssel zu deinem PDA. Jede Anfrage damit steht unter Zugriffe.',
    notEncrypted:
      'Die Verbindung zu dieser Adresse ist nicht verschlüsselt. Andere im Netzwerk können den Schlüssel der Anwendung lesen und verwenden.',
    allow: (application: string) => `Erlauben und weiter zu ${application}`,
    cancelText: 'Nichts wird erlaubt, und die Anwendung erfährt, dass du abgebrochen hast.',
    changed: 'Die Anfrage hat sich geändert, während du sie gelesen hast',
  },
  returning: {
    title: (application: string) => `Zurück zu ${application}`,
    cancelled: (application: string) => `Zurück zu ${application}, ohne Anmeldung`,
    nothing: 'Keine Weiterleitung?',
    go: (application: string) => `Zu ${application}`,
  },
  failed: {
    titleHere: 'Die Anmeldung ist gerade nicht möglich',
    title: (application: string) => `Du bist nicht bei ${application} angemeldet`,
    back: (application: string) => `Zurück zu ${application}`,
  },
  refused: {
    unregisteredTitle: (application: string) => `Diese Adresse gehört nicht zu ${application}`,
    unregistered: (application: string) =>
      `Die Anmeldung hätte dich zu einer Adresse geschickt, die ${application} nicht registriert hat. Es wurde kein Zugriff gewährt, und nichts wurde dorthin gesendet. Das kann ein Fehler der Entwickler sein oder ein Versuch, in deinem Namen Zugriff zu bekommen.`,
    unregisteredAdvice:
      'Wenn du über einen Link in einer Nachricht hierhergekommen bist, benutze ihn nicht wieder. Dieser Versuch steht unter Zugriffe.',
    leadsTo: 'Sie führt zu',
    requestedAddress: 'Angefragte Rücksprungadresse',
    registered: (application: string) => `Registrierte Adressen von ${application}`,
    none: 'Keine.',
    noRedirectTitle: (application: string) => `${application} nennt keine Rücksprungadresse`,
    noRedirect: 'Der Link, der dich hierhergebracht hat, enthält keine Rücksprungadresse. Du wurdest nicht angemeldet.',
    noApplicationTitle: 'Keine Anwendung angegeben',
    noApplication: 'Der Link, der dich hierhergebracht hat, ist vielleicht unvollständig. Du wurdest nicht angemeldet.',
    unknownTitle: 'Unbekannte Anwendung',
    unknown: 'Keine Anwendung mit diesem Namen lässt sich mit deinem PDA verbinden. Du wurdest nicht angemeldet.',
    unknownName: 'Angefragter Name',
    otherTitle: 'Anmeldung fehlgeschlagen',
    home: 'Zu deinem PDA',
    code: 'Für die Entwickler:',
  },
} satisfies Localised<typeof en>;

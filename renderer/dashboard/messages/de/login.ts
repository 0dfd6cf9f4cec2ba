import { count } from '../../../shared/format/format.ts';
import type { login as en } from '../en/login.ts';
import type { Localised } from '../../../shared/messages/localised.ts';

/** Pages of the sign-in to an application. */
export const login = {
  windowTitle: (application: string) => (application === '' ? 'Anmelden' : `Bei ${application} anmelden`),
  yourPda: (name: string) => `Dein PDA ${name}`,
  signIn: {
    title: (pda: string, application: string) => {
      const at = pda === '' ? 'deinem PDA' : pda;
      return application === '' ? `Bei ${at} anmelden` : `Bei ${at} anmelden und weiter zu ${application}`;
    },
    ownPda: 'Diese Seite kommt von deinem eigenen PDA. Dein Passwort geht dorthin und nirgendwo sonst hin.',
    submit: 'Anmelden und weiter',
  },
  notSetUp: {
    title: 'Dieses PDA ist noch nicht eingerichtet',
    text: 'Richte es zuerst ein, mit der Einmaladresse, die es beim Start ausgegeben hat. Kehre dann von der Anwendung aus zurück.',
  },
  consent: {
    title: (application: string) => `${application} verbinden?`,
    titleAgain: (application: string) => `${application} wieder verbinden?`,
    titleUpdate: (application: string) => `${application} fragt noch einmal`,
    text: (application: string) =>
      `${application} möchte, dass du dich mit deinem PDA anmeldest. Das ist alles, was es bekäme.`,
    textAgain: (application: string) =>
      `Du hast ${application} gestoppt. Jetzt erreicht es nichts. Das bekäme es von nun an.`,
    textEnded: (application: string) =>
      `Die Datenfreigabe, die ${application} braucht, läuft nicht mehr. Das bekäme es von nun an.`,
    textUpdate: (before: string, now: string) =>
      `Du hast Version ${before} erlaubt. Version ${now} braucht deine Zustimmung. Bis du entscheidest, bleibt, was du erlaubt hast.`,
    developer: 'Gemacht von',
    howLong: 'Wie lange',
    version: (version: string) => `Version ${version}`,
    developerText: 'Name, Bild und Zweck sind seine eigenen Worte. Was es bekommt, prüft dein PDA.',
    purpose: 'Wofür',
    rights: 'Es dürfte',
    more: 'Neu: Es dürfte auch',
    same: 'Wie bisher dürfte es',
    less: 'Nicht mehr',
    nothingByKey: 'Nichts mit seinem eigenen Schlüssel. Es bekommt nur, was unten steht.',
    nothing: 'Nichts mit dem, was du hier hast. Es erfährt die Adresse deines PDA, und dass es dir gehört.',
    ownerMeans: 'Alles, was du hier hast, und alles, was noch kommt. Es kann nicht in deinem Namen Anfragen zustimmen.',
    dataChanges: 'Was sich an dem ändert, was hinausgeht',
    until: (until: string) => `Was hinausgeht, bis ${until}. Das Übrige, bis du es beendest, was du jederzeit kannst.`,
    untilStopped: 'Bis du es beendest. Das kannst du jederzeit, und es endet sofort.',
    everythingExcluded: 'Du hast alles weggelassen, was hinausginge. Ganz ohne lässt es sich nicht verbinden.',
    privateData: 'Was privat bleibt',
    privateDataText: (endpoints: number, records: number) =>
      `${count(endpoints, 'Endpunkt', 'Endpunkte')} mit ${count(records, 'Datensatz', 'Datensätzen')}, an die es nicht käme.`,
    privateDataNone: 'Nichts. Es käme an alles, was hier ist.',
    privateDataEmpty: 'Hier ist noch nichts, woran es nicht käme.',
    privateDataOther:
      'Dateien anderer Quellen, dein Passwort und deine anderen Einwilligungen bleiben ihm ebenfalls verschlossen.',
    terms: 'Bedingungen',
    privacy: 'Datenschutzerklärung',
    noTerms: 'Es nennt keine Bedingungen.',
    returnsTo: 'Du gehst zurück zu',
    returnsText: 'Mit einem eigenen Schlüssel zu deinem PDA. Jeder Aufruf damit steht unter Zugriffe.',
    notEncrypted:
      'Diese Adresse ist nicht verschlüsselt. Andere im Netzwerk können den Schlüssel der Anwendung lesen und verwenden.',
    allow: (application: string) => `Erlauben und weiter zu ${application}`,
    cancel: 'Abbrechen',
    cancelText: 'Nichts wird erlaubt, und die Anwendung erfährt, dass du nicht wolltest.',
    reviewFirst: 'Sieh dir erst die neue Anfrage an.',
    changed: 'Was es will, hat sich geändert, während du es angesehen hast',
    changedText: 'Du siehst es, wie es jetzt ist. Nichts wurde erlaubt.',
    notDone: 'Das ging nicht',
  },
  returning: {
    title: (application: string) => `Zurück zu ${application}`,
    cancelled: (application: string) => `Zurück zu ${application}, ohne Anmeldung`,
    nothing: 'Geschieht nichts?',
    go: (application: string) => `Zu ${application}`,
  },
  failed: {
    titleHere: 'Anmelden geht gerade nicht',
    title: (application: string) => `Du bist nicht bei ${application} angemeldet`,
    back: (application: string) => `Zurück zu ${application}`,
  },
  refused: {
    unregisteredTitle: (application: string) => `Diese Adresse gehört nicht zu ${application}`,
    unregistered: (application: string) =>
      `Du solltest zu einer Adresse geschickt werden, die ${application} nicht angemeldet hat. Kein Zugriff wurde gegeben, und nichts wurde dorthin gesendet. Vielleicht ist es ein Fehler des Herstellers oder ein Versuch, in deinem Namen Zugriff zu bekommen.`,
    unregisteredAdvice:
      'Wenn du über einen Link in einer Nachricht hierherkamst, benutze ihn nicht wieder. Dieser Versuch steht unter Zugriffe.',
    leadsTo: 'Sie führt zu',
    requestedAddress: 'Wohin du geschickt werden solltest',
    registered: (application: string) => `Adressen, die ${application} angemeldet hat`,
    none: 'Keine.',
    noRedirectTitle: (application: string) => `${application} sagt nicht, wohin es zurückgeht`,
    noRedirect: 'Die Adresse, die dich hierherbrachte, nennt keinen Ort zum Zurückkehren. Du wurdest nicht angemeldet.',
    noApplicationTitle: 'Keine Anwendung ist genannt',
    noApplication:
      'Die Adresse, die dich hierherbrachte, ist vielleicht unvollständig. Du wurdest nirgends angemeldet.',
    unknownTitle: 'Diese Anwendung ist hier nicht bekannt',
    unknown: 'Keine Anwendung mit diesem Namen lässt sich mit deinem PDA verbinden. Du wurdest nirgends angemeldet.',
    unknownName: 'Der genannte Name',
    otherTitle: 'Das geht nicht',
    home: 'Zu deinem PDA',
    code: 'Für den Hersteller:',
  },
} satisfies Localised<typeof en>;

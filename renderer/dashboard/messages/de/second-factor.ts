import { count, number, relativeTime } from '../../../shared/format/format.ts';
import type { secondFactor as en } from '../en/second-factor.ts';
import type { Localised } from '../../../shared/messages/localised.ts';

const codes = (n: number) => count(n, 'Code', 'Codes');

/** The second factor: in the settings, at sign-in and on the home page. */
export const secondFactor = {
  title: 'Zweiter Faktor',
  off: 'Nur dein Passwort schützt dein PDA vor Anmeldungen von außen. Ein zweiter Faktor verlangt zusätzlich ein Gerät oder einen Code von dir.',
  on: 'Für Anmeldungen von außen braucht es Passwort und zweiten Faktor. An diesem Computer genügt das Passwort.',
  onAlways: 'Für jede Anmeldung braucht es Passwort und zweiten Faktor, auch an diesem Computer.',
  people: 'Nur du wirst danach gefragt. Personen, die du hinzugefügt hast, melden sich mit ihrem Passwort an.',
  app: {
    title: 'Authenticator-App',
    none: 'Ein Programm auf deinem Telefon, das jede halbe Minute sechs neue Ziffern zeigt.',
    since: 'Eingeschaltet seit',
    add: 'App hinzufügen',
    replace: 'Eine andere App nehmen',
    remove: 'Entfernen',
    removeLabel: 'Die Authenticator-App entfernen',
    dialog: 'Authenticator-App hinzufügen',
    replaces: 'Die jetzige App gilt, bis die neue ihren ersten Code gezeigt hat.',
    next: 'Weiter',
    scan: 'Lies das mit der App ein. Es wird nur dieses eine Mal gezeigt.',
    code: 'QR-Code mit dem Geheimnis für eine Authenticator-App',
    byHand: 'Oder tippe das in die App',
    copy: 'Geheimnis kopieren',
    first: 'Die sechs Ziffern, die sie jetzt zeigt',
    wrong: 'Das sind nicht die Ziffern dieses Moments. Sieh nach, ob die Uhr deines Telefons richtig geht.',
    missing: 'Gib die sechs Ziffern ein.',
    finish: 'Einschalten',
    done: 'Die Authenticator-App ist hinzugefügt',
  },
  passkeys: {
    title: 'Passkeys',
    none: 'Ein Schlüssel, den dein Gerät, Browser oder Passwortmanager aufbewahrt und den du mit Finger, Gesicht oder PIN freigibst.',
    add: 'Passkey hinzufügen',
    dialog: 'Passkey hinzufügen',
    name: 'Woran du ihn erkennst',
    nameHint: 'Zum Beispiel: Laptop, Telefon, Schlüssel am Schlüsselbund',
    nameMissing: 'Gib einen Namen ein.',
    submit: 'Weiter zu deinem Gerät',
    notMade: 'Es wurde kein Passkey gemacht. Es wurde abgebrochen, dauerte zu lange, oder er ist schon da.',
    done: (name: string) => `Der Passkey ${name} ist hinzugefügt`,
    created: 'Hinzugefügt',
    lastUsed: 'Zuletzt benutzt',
    never: 'Nie benutzt',
    otherAddress: (address: string) => `Gilt nur unter ${address}`,
    remove: 'Entfernen',
    removeLabel: (name: string) => `Den Passkey ${name} entfernen`,
    rename: {
      action: 'Umbenennen',
      label: (name: string) => `Den Passkey ${name} umbenennen`,
      title: 'Ein anderer Name für diesen Passkey',
      submit: 'Diesen Namen sichern',
      done: (name: string) => `Der Passkey heißt jetzt ${name}`,
    },
    unsupportedAddress: (host: string, localAddress: string) =>
      `Unter ${host} lässt sich keiner hinzufügen: Browser nehmen Passkeys nur für Namen an, nicht für IP-Adressen. Öffne dein PDA unter ${localAddress} oder unter seiner öffentlichen Adresse.`,
    unsupportedBrowser: 'Dieser Browser kennt unter dieser Adresse keine Passkeys.',
  },
  recovery: {
    title: 'Wiederherstellungscodes',
    text: 'Verwende sie, wenn du weder die App noch einen Passkey zur Hand hast. Jeder Code gilt einmal.',
    remaining: (n: number, createdAt: string) => `${codes(n)} übrig, erstellt ${relativeTime(createdAt)}`,
    renew: 'Neue Codes erstellen',
    renewDialog: 'Neue Wiederherstellungscodes erstellen?',
    renewText: 'Die Codes, die du jetzt hast, gelten dann nicht mehr.',
    dialog: 'Deine Wiederherstellungscodes',
    shown:
      'Bewahre sie auf, wo dein Reisepass liegt. Sie werden nur dieses eine Mal gezeigt; auch dein PDA kann sie nicht mehr lesen.',
    copy: 'Alle Codes kopieren',
    print: 'Drucken',
    printTitle: (name: string) => `Wiederherstellungscodes von ${name}`,
    confirmSaved: 'Ich habe sie aufbewahrt',
    few: 'Erstelle bald neue Codes.',
  },
  always: {
    label: 'Auch an diesem Computer fragen',
    hint: 'Wer hier mit deinem Passwort sitzt, braucht ihn dann auch. Wenn du alles verlierst, kommst du über die Befehlszeile hinein.',
    onDialog: 'Auch an diesem Computer fragen?',
    onText: 'Wer sich hier anmeldet oder hieran etwas ändert, braucht ihn dann ebenfalls.',
    offDialog: 'Nur von außen fragen?',
    offText: 'An diesem Computer genügt dann das Passwort.',
    submit: 'Speichern',
  },
  turnOff: {
    action: 'Ausschalten',
    dialog: 'Den zweiten Faktor ausschalten?',
    text: 'Die App, jeder Passkey und jeder Wiederherstellungscode werden vergessen. Von außen genügt dann das Passwort allein.',
    done: 'Der zweite Faktor ist ausgeschaltet',
  },
  removing: {
    app: 'Die Authenticator-App entfernen?',
    passkey: (name: string) => `Den Passkey ${name} entfernen?`,
    text: 'Du kannst dich damit nicht mehr anmelden.',
    last: 'Es ist das Letzte: Der zweite Faktor ist dann aus, und die Wiederherstellungscodes werden vergessen.',
    done: 'Entfernt',
  },
  sessions: (n: number) =>
    n === 1
      ? 'Ein anderer Browser oder ein Programm ist angemeldet und bleibt es. Du kannst diese Sitzung unten beenden.'
      : `${number(n)} andere Browser und Programme sind angemeldet und bleiben es. Du kannst sie unten beenden.`,
  proof: {
    password: 'Dein Passwort',
    missing: 'Gib dein Passwort ein.',
    code: 'Code deiner App oder ein Wiederherstellungscode',
    codeMissing: 'Gib einen Code ein oder verwende einen Passkey.',
    passkey: 'Stattdessen einen Passkey nehmen',
    wrong: 'Das Passwort oder der Code stimmt nicht. Ein Code gilt einmal: Warte auf den nächsten.',
    wrongHere: 'Falsches Passwort.',
    notAnswered: 'Kein Passkey hat geantwortet.',
  },
  step: {
    title: 'Zweiter Schritt',
    text: 'Dein Passwort allein genügt hier nicht.',
    code: 'Code deiner Authenticator-App oder ein Wiederherstellungscode',
    codeOnly: 'Wiederherstellungscode',
    submit: 'Anmelden',
    passkey: 'Passkey verwenden',
    or: 'oder',
    back: 'Zurück zum Passwort',
    missing: 'Gib einen Code ein.',
    wrong:
      'Das Passwort oder der zweite Faktor stimmt nicht. Welches von beiden, wird nicht gesagt. Ein Code gilt einmal: Warte auf den nächsten, oder geh zurück und schreibe das Passwort noch einmal.',
    notAnswered:
      'Kein Passkey hat geantwortet. Es wurde abgebrochen, dauerte zu lange, oder auf diesem Gerät ist keiner.',
    lost: 'Nichts davon zur Hand? An dem Computer, auf dem dein PDA läuft, gibt es einen Weg zurück hinein.',
  },
  home: {
    recovery: (left: number) =>
      `Ein Wiederherstellungscode wurde benutzt; ${left === 1 ? 'einer ist' : `${number(left)} sind`} übrig`,
    recoveryText: (at: string) =>
      `Er wurde für eine Anmeldung benutzt, ${relativeTime(at)}. Wenn du das nicht warst, ändere jetzt dein Passwort.`,
    few: (left: number) =>
      left === 0 ? 'Kein Wiederherstellungscode ist übrig' : `Nur noch ${codes(left)} zur Wiederherstellung übrig`,
    fewText: 'Erstelle neue, solange du angemeldet bist.',
    wrong: (n: number) =>
      `Dein Passwort wurde ${n === 1 ? 'einmal' : `${number(n)}-mal`} mit falschem zweitem Faktor eingegeben`,
    wrongText: (at: string) =>
      `Zuletzt ${relativeTime(at)}. Wenn du das nicht warst, kennt jemand dein Passwort: Ändere es.`,
  },
  acknowledge: 'Das war ich',
  acknowledgeAll: 'Das alles war ich',
} satisfies Localised<typeof en>;

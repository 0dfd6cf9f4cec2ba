import { count, number, relativeTime } from '../../../shared/format/format.ts';
import type { secondFactor as en } from '../en/second-factor.ts';
import type { Localised } from '../../../shared/messages/localised.ts';

const codes = (n: number) => count(n, 'Code', 'Codes');

/** The second factor: in the settings, at sign-in and on the home page. */
export const secondFactor = {
  title: 'Zweiter Faktor',
  off: 'Nur dein Passwort schützt dein PDA vor Anmeldungen von außen. Ein zweiter Faktor verlangt zusätzlich ein Gerät oder einen Code von dir.',
  on: 'Anmeldungen von außen verlangen Passwort und zweiten Faktor. An dem Computer, auf dem dein PDA läuft, genügt das Passwort.',
  onAlways: 'Jede Anmeldung verlangt Passwort und zweiten Faktor, auch an dem Computer, auf dem dein PDA läuft.',
  people:
    'Er gilt nur für dich. Personen, die du hinzugefügt hast, melden sich mit ihrem Passwort oder einem Passkey an.',
  app: {
    title: 'Authenticator-App',
    none: 'Eine App auf deinem Telefon, die alle 30 Sekunden einen neuen sechsstelligen Code zeigt.',
    add: 'App hinzufügen',
    replace: 'Andere App verwenden',
    removeLabel: 'Die Authenticator-App entfernen',
    dialog: 'Authenticator-App hinzufügen',
    replaces: 'Die jetzige App gilt, bis du den ersten Code der neuen eingegeben hast.',
    next: 'Weiter',
    scan: 'Scanne diesen Code mit der App. Er wird nur einmal gezeigt.',
    code: 'QR-Code mit dem Geheimnis für eine Authenticator-App',
    byHand: 'Oder gib dieses Geheimnis in der App ein',
    copy: 'Geheimnis kopieren',
    first: 'Sechsstelliger Code aus der App',
    wrong: 'Falscher Code. Prüfe die Uhr deines Telefons und gib den Code ein, den die App jetzt zeigt.',
    missing: 'Gib die sechs Ziffern ein.',
    finish: 'Code bestätigen',
    done: 'Authenticator-App hinzugefügt',
  },
  passkeys: {
    title: 'Passkeys',
    text: 'Ein Schlüssel, den dein Gerät, Browser oder Passwortmanager aufbewahrt und den du mit Fingerabdruck, Gesicht oder PIN freigibst.',
    add: 'Passkey hinzufügen',
    name: 'Name des Passkeys',
    nameHint: 'Zum Beispiel: Laptop, Telefon, Sicherheitsschlüssel',
    submit: 'Weiter zu deinem Gerät',
    notMade:
      'Es wurde kein Passkey erstellt. Du hast abgebrochen, es hat zu lange gedauert, oder das Gerät hat schon einen.',
    done: (name: string) => `Passkey ${name} hinzugefügt`,
    created: 'Hinzugefügt',
    lastUsed: 'Zuletzt benutzt',
    never: 'Nie benutzt',
    otherAddress: (address: string) => `Gilt nur unter ${address}`,
    removeLabel: (name: string) => `Den Passkey ${name} entfernen`,
    rename: {
      label: (name: string) => `Den Passkey ${name} umbenennen`,
      title: 'Passkey umbenennen',
      submit: 'Namen speichern',
      done: (name: string) => `Der Passkey heißt jetzt ${name}`,
    },
    unsupportedAddress: (host: string, localAddress: string) =>
      `Unter ${host} lässt sich kein Passkey hinzufügen: Browser nehmen Passkeys nur für Hostnamen an, nicht für IP-Adressen. Öffne dein PDA unter ${localAddress} oder unter seiner öffentlichen Adresse.`,
    unsupportedBrowser: 'Dieser Browser unterstützt unter dieser Adresse keine Passkeys.',
  },
  recovery: {
    title: 'Wiederherstellungscodes',
    text: 'Verwende sie, wenn du weder die App noch einen Passkey zur Hand hast. Jeder Code gilt nur einmal.',
    remaining: (n: number, createdAt: string) => `${codes(n)} übrig, erstellt ${relativeTime(createdAt)}`,
    renew: 'Neue Codes erstellen',
    renewDialog: 'Neue Wiederherstellungscodes erstellen?',
    renewText: 'Deine jetzigen Codes gelten dann nicht mehr.',
    dialog: 'Deine Wiederherstellungscodes',
    storageHint:
      'Bewahre sie so sicher auf wie deinen Reisepass. Sie werden nur einmal gezeigt. Danach kann auch dein PDA sie nicht mehr lesen.',
    copy: 'Codes kopieren',
    print: 'Drucken',
    printTitle: (name: string) => `Wiederherstellungscodes für ${name}`,
    confirmSaved: 'Ich habe sie gesichert',
    few: 'Erstelle bald neue Codes.',
  },
  always: {
    label: 'Auch an dem Computer fragen, auf dem dein PDA läuft',
    hint: 'Wer dort dein Passwort kennt, braucht dann auch den zweiten Faktor. Wenn du alle zweiten Faktoren verlierst, bekommst du über die Befehlszeile wieder Zugang.',
    onDialog: 'Auch an dem Computer fragen, auf dem dein PDA läuft?',
    onText: 'Anmeldungen und Änderungen an diesen Einstellungen verlangen dann auch dort den zweiten Faktor.',
    offDialog: 'Nur von außen fragen?',
    offText: 'An dem Computer, auf dem dein PDA läuft, genügt dann das Passwort.',
  },
  turnOff: {
    action: 'Ausschalten',
    dialog: 'Den zweiten Faktor ausschalten?',
    text: 'Die App, alle Passkeys und alle Wiederherstellungscodes gelten nicht mehr. Von außen genügt dann das Passwort allein.',
    done: 'Zweiter Faktor ausgeschaltet',
  },
  removing: {
    app: 'Die Authenticator-App entfernen?',
    passkey: (name: string) => `Den Passkey ${name} entfernen?`,
    text: 'Du kannst dich damit nicht mehr anmelden.',
    last: 'Danach bleibt weder eine App noch ein Passkey übrig: Der zweite Faktor wird ausgeschaltet, und die Wiederherstellungscodes gelten nicht mehr.',
    done: 'Entfernt',
  },
  sessions: (n: number) =>
    n === 1
      ? 'Ein anderer Browser oder ein anderes Programm bleibt angemeldet. Du kannst diese Sitzung unten beenden.'
      : `${number(n)} andere Browser und Programme bleiben angemeldet. Du kannst ihre Sitzungen unten beenden.`,
  proof: {
    code: 'Code aus deiner App oder ein Wiederherstellungscode',
    codeMissing: 'Gib einen Code ein oder verwende einen Passkey.',
    passkey: 'Stattdessen einen Passkey verwenden',
    wrong: 'Falsches Passwort oder falscher zweiter Faktor. Jeder Code gilt nur einmal: Warte auf den nächsten.',
    wrongHere: 'Falsches Passwort.',
    notAnswered: 'Kein Passkey hat geantwortet.',
  },
  step: {
    text: 'Dein Passwort allein genügt hier nicht.',
    code: 'Code aus deiner Authenticator-App oder ein Wiederherstellungscode',
    codeOnly: 'Wiederherstellungscode',
    passkey: 'Passkey verwenden',
    or: 'oder',
    back: 'Zurück zum Passwort',
    missing: 'Gib einen Code ein.',
    wrong:
      'Falsches Passwort oder falscher zweiter Faktor. Zu deiner Sicherheit zeigt diese Seite nicht, welches von beiden. Jeder Code gilt nur einmal: Warte auf den nächsten, oder geh zurück und gib das Passwort noch einmal ein.',
    notAnswered:
      'Kein Passkey hat geantwortet. Du hast abgebrochen, es hat zu lange gedauert, oder auf diesem Gerät gibt es keinen.',
    lost: 'Alles verloren? An dem Computer, auf dem dein PDA läuft, bekommst du wieder Zugang.',
  },
  home: {
    recovery: (left: number) =>
      `Ein Wiederherstellungscode wurde benutzt. ${left === 1 ? 'Einer ist' : `${number(left)} sind`} übrig`,
    recoveryText: (time: string) =>
      `Er wurde ${relativeTime(time)} für eine Anmeldung oder zur Bestätigung einer Änderung benutzt. Wenn du das nicht warst, ändere jetzt dein Passwort.`,
    few: (left: number) =>
      left === 0
        ? 'Kein Wiederherstellungscode übrig'
        : `Nur noch ${count(left, 'Wiederherstellungscode', 'Wiederherstellungscodes')} übrig`,
    fewText: 'Erstelle neue, solange du angemeldet bist.',
    wrong: (n: number) =>
      `Dein Passwort wurde ${n === 1 ? 'einmal' : `${number(n)}-mal`} mit falschem zweitem Faktor eingegeben`,
    wrongText: (time: string) =>
      `Zuletzt ${relativeTime(time)}. Wenn du das nicht warst, kennt jemand dein Passwort: Ändere es.`,
  },
  acknowledge: 'Das war ich',
  acknowledgeAll: 'Das alles war ich',
} satisfies Localised<typeof en>;

import type { people as en } from '../en/users.ts';
import type { Localised } from '../../../shared/messages/localised.ts';

/** Settings → People. */
export const people = {
  lead: 'Personen, für die du Dateien, Tabellen und Diagramme freigeben kannst. Jede meldet sich mit einem eigenen Konto an und sieht nur, was du für sie freigibst.',
  add: 'Person hinzufügen',
  list: 'Personen',
  lastSeen: 'Zuletzt gesehen',
  neverSignedIn: 'Hat sich noch nie angemeldet',
  added: 'Hinzugefügt',
  blocked: 'Gesperrt',
  menu: (name: string) => `Aktionen für ${name}`,
  menuChange: 'Name und E-Mail…',
  menuPassword: 'Neues Passwort…',
  menuBlock: 'Sperren',
  menuUnblock: 'Entsperren',
  menuDelete: 'Löschen…',
  isBlocked: (name: string) => `${name} ist gesperrt`,
  isBlockedText:
    'Diese Person ist überall abgemeldet und kann sich nicht anmelden. Was du für sie freigegeben hast, ruht, bis du sie entsperrst.',
  isUnblocked: (name: string) => `${name} kann sich wieder anmelden`,
  empty: {
    title: 'Noch keine Personen',
    text: 'Lade eine Person ein, um Dateien für sie freizugeben. Sie wählt ihr Passwort oder ihren Passkey selbst. Anwendungen stehen nicht hier: Sie fragen dich selbst um Zugriff.',
  },
  fields: {
    name: 'Name',
    nameHint: 'Damit meldet sich die Person an. Groß- und Kleinschreibung spielt keine Rolle.',
    nameTaken: 'Dieser Name ist vergeben.',
    nameInvalid: 'Verwende sichtbare Zeichen, höchstens 100.',
    email: 'E-Mail',
    emailHint: 'Nur zu deiner Information. Es wird nichts dorthin gesendet.',
    emailInvalid: 'Gib eine gültige E-Mail-Adresse ein.',
    password: 'Passwort',
    generate: 'Passwort erzeugen',
    generated: 'Gerade erzeugt:',
    copyPassword: 'Passwort kopieren',
  },
  adding: {
    done: (name: string) => `${name} kann sich jetzt anmelden`,
  },
  changing: {
    title: (name: string) => `Name und E-Mail von ${name}`,
    done: 'Gespeichert',
  },
  handOver: {
    text: 'Gib der Person diese Angaben, am besten persönlich oder am Telefon. Das Passwort wird nicht noch einmal gezeigt.',
    onlyHere: 'Nur dieser Computer kann dein PDA im Moment erreichen',
    onlyHereText: 'Von anderen Geräten ist die Anmeldung möglich, sobald dein PDA eine öffentliche Adresse hat.',
    address: 'Adresse',
    copyName: 'Namen kopieren',
  },
  deleting: {
    title: (name: string) => `${name} löschen`,
    text: (name: string) =>
      `${name} ist überall abgemeldet und kann sich nicht mehr anmelden. Die Person verliert jeden Zugriff auf das, was du für sie freigegeben hast. Kopien, die sie vorher gemacht hat, behält sie. Deine Dateien bleiben, wie sie sind, und der Name bleibt unter Zugriffe stehen. Das lässt sich nicht rückgängig machen.`,
    blockHint: 'Soll der Zugriff nur vorübergehend ruhen, sperre die Person stattdessen.',
    keep: 'Person behalten',
    submit: 'Person löschen',
    done: (name: string) => `${name} gelöscht`,
  },
} satisfies Localised<typeof en>;

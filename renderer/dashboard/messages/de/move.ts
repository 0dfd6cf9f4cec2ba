import { bytes, count, number } from '../../../shared/format/format.ts';
import type { move as en } from '../en/move.ts';
import type { Localised } from '../../../shared/messages/localised.ts';
import { list } from '../../../shared/messages/de/consent.ts';

/** Settings → Move. */
export const move = {
  pageTitle: 'Umziehen',
  lead: 'Nimm dein ganzes Konto mit: ein Archiv in einem offenen Format, das jedes Programm lesen und ein anderes PDA importieren kann.',
  export: {
    title: 'Alles exportieren',
    text: 'Deine Daten, Dateien, Einwilligungen mit ihrem Verlauf, der Zugriffsverlauf, Anwendungen und Funktionen, wie sie jetzt sind. Das Archiv ist eine Zip-Datei mit reinem Text und deinen eigenen Dateien, lesbar ohne dieses Programm.',
    secrets:
      'Es enthält keine Passwörter, Schlüssel oder Tokens. Wer die Datei hat, kann alles andere lesen. Bewahre sie so sicher auf wie ein Tagebuch.',
    wrong: 'Falsches Passwort. Nichts wurde exportiert.',
    submit: 'Alles herunterladen',
    started: 'Der Download hat begonnen',
    startedText: 'Dein Browser speichert das Archiv, während es erstellt wird. Du kannst diese Seite verlassen.',
    running: 'Archiv wird erstellt',
    progress: (done: number, total: number) => `${bytes(done)} von etwa ${bytes(total)}`,
    progressLabel: 'Fortschritt des Archivs',
    last: 'Letztes Archiv',
    missingFiles: (n: number) =>
      `${count(n, 'Datei war', 'Dateien waren')} nicht im Ordner. Ihr Inhalt fehlt im Archiv.`,
    changedFiles: (n: number) =>
      `${count(n, 'Datei wurde', 'Dateien wurden')} während des Exports geändert. Das Archiv enthält den späteren Inhalt.`,
  },
  import: {
    title: 'Ein Konto importieren',
    text: 'Importiert das Archiv eines anderen PDA in dieses Konto: Datensätze mit ihren IDs, Dateien, Einwilligungen und Verlauf. Du siehst zuerst, was das Archiv enthält. Es wird entweder ganz importiert oder gar nicht.',
    notEmpty: 'Du kannst ein Konto nur in ein PDA importieren, das noch keine Daten hat.',
    choose: 'Archiv auswählen',
    hint: 'Eine Zip-Datei aus „Alles exportieren“',
    sending: (sent: number, size: number) => `${bytes(sent)} von ${bytes(size)} gesendet`,
    sendingLabel: 'Fortschritt des Uploads',
    stopped: 'Der Upload ist unvollständig. Wähle dieselbe Datei noch einmal, um ihn fortzusetzen.',
    checking: 'Das ganze Archiv wird geprüft. Noch wird nichts importiert.',
    checkingLabel: 'Fortschritt der Prüfung',
    importing: 'Das Konto wird importiert. Danach startet dein PDA damit neu.',
    importingLabel: 'Fortschritt des Imports',
    canLeave: 'Beende das PDA nicht. Diese Seite kannst du verlassen.',
    rejected: 'Dieses Archiv kann nicht importiert werden',
    other: 'Anderes Archiv auswählen',
    accountTitle: (name: string) => `Das Konto ${name}`,
    asOf: 'Stand',
    records: (records: number, endpoints: number) =>
      `${count(records, 'Datensatz', 'Datensätze')} in ${count(endpoints, 'Endpunkt', 'Endpunkten')}`,
    files: (files: number, size: number) => `${count(files, 'Datei', 'Dateien')}, ${bytes(size)}`,
    consents: (all: number, active: number) =>
      `${count(all, 'Einwilligung', 'Einwilligungen')}, davon ${number(active)} in Kraft`,
    others: (applications: number, functions: number, contracts: number, people: number) =>
      [
        count(applications, 'Anwendung', 'Anwendungen'),
        count(functions, 'Funktion', 'Funktionen'),
        count(contracts, 'Vertrag', 'Verträge'),
        count(people, 'andere Person', 'andere Personen'),
      ].join(', '),
    access: (n: number) => count(n, 'Eintrag', 'Einträge'),
    labels: {
      records: 'Daten',
      files: 'Dateien',
      consents: 'Einwilligungen',
      others: 'Außerdem enthalten',
      access: 'Zugriffsverlauf',
    },
    afterwards:
      'Dieses PDA behält seinen Namen, sein Passwort und seine Adresse. Nach dem Import nimmt es keine Verbindungen von außen an und sendet nichts, bis du das Konto aktivierst.',
    submit: 'Konto importieren',
    discard: 'Archiv verwerfen',
  },
  imported: {
    pendingActivation: (name: string) => `Das Konto ${name} ist importiert und wartet auf die Aktivierung`,
    pendingActivationText:
      'Dein PDA nimmt keine Verbindungen von außen an, führt keine Funktionen aus und sendet keine Nachrichten. Geh die Liste unten durch und aktiviere dann das Konto.',
    activated: (name: string) => `Das Konto ${name} ist hierher umgezogen`,
    when: 'Importiert',
    archiveCreated: 'Archiv erstellt',
    toDo: 'Was du tun musst',
    applications: (names: readonly string[]) =>
      `Melde dich bei ${list(names)} neu an. Ein Archiv enthält keine Sitzungen.`,
    people: (names: readonly string[]) =>
      `Gib diesen Personen auf der Seite Personen ein neues Passwort: ${names.join(', ')}.`,
    offers: (n: number) =>
      `${count(n, 'Angebot, an dem du teilnimmst', 'Angebote, an denen du teilnimmst')}: ${n === 1 ? 'Der Anbieter kann' : 'Die Anbieter können'} keine Daten lesen, bis du noch einmal teilnimmst.`,
    contracts: (names: readonly string[]) =>
      `Nach der Aktivierung tritt dein PDA diesen Verträgen neu bei: ${names.join(', ')}.`,
    functions: (names: readonly string[]) =>
      `Nach der Aktivierung laufen diese Funktionen wieder: ${names.join(', ')}.`,
    exchange: (address: string) => `Nach der Aktivierung trägt sich dein PDA bei ${address} ein.`,
    address: 'Wähle eine öffentliche Adresse für dieses PDA.',
    addressLink: 'Adresse',
    consents:
      'Aktive Einwilligungen gelten wieder, sobald sich Anwendungen anmelden. Beende die, die du nicht mehr brauchst.',
    consentsLink: 'Freigaben',
    eraseOld: 'Lösche danach das Konto auf dem vorherigen Computer. Sonst handeln zwei PDAs in deinem Namen.',
    submit: 'Konto aktivieren',
    done: 'Konto aktiviert',
    confirm: {
      title: 'Dieses Konto aktivieren?',
      text: 'Funktionen beginnen zu laufen, Verträge und die Vermittlung erfahren die Adresse dieses PDA, Nachrichten werden gesendet, und andere können sich verbinden, wenn es eine öffentliche Adresse gibt.',
    },
  },
} satisfies Localised<typeof en>;

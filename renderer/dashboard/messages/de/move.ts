import { bytes, count, number } from '../../../shared/format/format.ts';
import type { move as en } from '../en/move.ts';
import type { Localised } from '../../../shared/messages/localised.ts';

/** Settings → Move. */
export const move = {
  pageTitle: 'Umziehen',
  lead: 'Nimm dein ganzes Konto mit: alles in einem offenen Archiv, das jedes Programm lesen und jedes andere PDA aufnehmen kann.',
  export: {
    title: 'Alles mitnehmen',
    text: 'Deine Daten, Dateien, Einwilligungen mit ihrer Geschichte, der Zugriffsverlauf, Anwendungen und Funktionen, so wie sie in diesem Augenblick sind. Lesbar ohne dieses Programm: reiner Text und deine eigenen Dateien in einer Zip-Datei.',
    secrets:
      'Kein Passwort, kein Schlüssel und kein Token ist darin. Alles andere kann lesen, wer die Datei hat. Bewahre sie auf wie ein Tagebuch.',
    password: 'Dein Passwort',
    missing: 'Gib zuerst dein Passwort ein.',
    wrong: 'Das ist nicht das Passwort. Nichts wurde exportiert.',
    submit: 'Alles herunterladen',
    started: 'Der Download hat begonnen',
    startedText: 'Dein Browser schreibt ihn auf die Festplatte, während er entsteht. Du kannst diese Seite verlassen.',
    running: 'Ein Archiv entsteht',
    progress: (done: number, total: number) => `${bytes(done)} von etwa ${bytes(total)}`,
    progressLabel: 'Wie weit das Archiv ist',
    last: 'Letztes Archiv',
    missingFiles: (n: number) =>
      `${count(n, 'Datei war', 'Dateien waren')} nicht da, wo sie sein sollte. Ihr Inhalt fehlt im Archiv.`,
    laterFiles: (n: number) =>
      `${count(n, 'Datei wurde', 'Dateien wurden')} währenddessen geändert. Ihr Inhalt ist ein wenig jünger.`,
  },
  import: {
    title: 'Ein Konto aufnehmen',
    text: 'Das Archiv eines anderen PDA wird zu diesem Konto: Datensätze mit ihren Kennungen, Dateien, Einwilligungen, Verlauf. Alles oder nichts, und nichts wird aufgenommen, bevor du gesehen hast, was darin ist.',
    full: 'Das geht nur in einem Konto, das eingerichtet und noch nicht benutzt wurde.',
    choose: 'Archiv auswählen',
    hint: 'Eine Zip-Datei, die unter „Alles mitnehmen“ entstanden ist',
    sending: (sent: number, size: number) => `${bytes(sent)} von ${bytes(size)} gesendet`,
    sendingLabel: 'Wie viel gesendet ist',
    stopped: 'Das Archiv ist nicht ganz da. Wähle dieselbe Datei noch einmal, dann geht es dort weiter, wo es abbrach.',
    cancel: 'Anhalten',
    checking: 'Das Archiv wird bis zu seinem Ende gelesen. Noch wird nichts aufgenommen.',
    checkingLabel: 'Wie viel gelesen ist',
    importing: 'Das Konto entsteht. Wenn es ganz ist, startet das PDA damit neu.',
    importingLabel: 'Wie viel aufgenommen ist',
    canLeave: 'Beende das PDA nicht. Diese Seite kannst du verlassen.',
    rejected: 'Dieses Archiv kann nicht aufgenommen werden',
    other: 'Ein anderes auswählen',
    accountTitle: (name: string) => `Das Konto ${name}`,
    asOf: 'Stand',
    records: (records: number, endpoints: number) =>
      `${count(records, 'Datensatz', 'Datensätze')} an ${count(endpoints, 'Stelle', 'Stellen')}`,
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
    access: (n: number) => `${count(n, 'Zeile', 'Zeilen')} Zugriffsverlauf`,
    labels: {
      records: 'Daten',
      files: 'Dateien',
      consents: 'Einwilligungen',
      others: 'Dazu',
      access: 'Wer hinsah',
    },
    afterwards:
      'Dieses Konto behält seinen Namen, sein Passwort und seine Adresse. Danach kommt niemand von außen herein und nichts geht hinaus, bis du es sagst.',
    submit: 'Aufnehmen',
    drop: 'Archiv wegwerfen',
  },
  imported: {
    pendingActivation: (name: string) => `Das Konto ${name} ist da und wartet auf dich`,
    pendingActivationText:
      'Niemand kommt von außen herein, keine Funktion läuft, und niemandem wird etwas mitgeteilt. Sieh durch, was darunter steht, und lass es dann hier leben.',
    activated: (name: string) => `Das Konto ${name} kam hierher`,
    when: 'Angekommen',
    archiveCreated: 'Stand',
    toDo: 'Was du tun musst',
    applications: (names: readonly string[]) =>
      `Melde dich bei ${names.join(', ')} neu an: Anmeldungen kamen nicht mit.`,
    people: (names: readonly string[]) => `Gib unter Personen ein neues Passwort: ${names.join(', ')}.`,
    offers: (n: number) =>
      `${count(n, 'angenommenes Angebot', 'angenommene Angebote')}: Der Anbieter liest nichts, bis du es neu annimmst.`,
    contracts: (names: readonly string[]) =>
      `Verträgen wird von hier neu beigetreten, wenn es weitergeht: ${names.join(', ')}.`,
    functions: (names: readonly string[]) => `Funktionen laufen wieder, wenn es weitergeht: ${names.join(', ')}.`,
    exchange: (address: string) => `Dieses Konto wird ${address} bekannt gemacht, wenn es weitergeht.`,
    address: 'Wähle die Adresse, unter der dieses PDA erreichbar ist.',
    addressLink: 'Adresse',
    consents:
      'Einwilligungen in Kraft gelten hier wieder, sobald sich Anwendungen anmelden. Beende, was nicht weitergehen soll.',
    consentsLink: 'Freigaben',
    old: 'Lösche danach das Konto am alten Ort, sonst antwortest du zweimal.',
    submit: 'Dieses Konto lebt jetzt hier',
    done: 'Es lebt jetzt hier',
    confirm: {
      title: 'Soll es hier leben?',
      text: 'Ab jetzt laufen Funktionen, Verträge und Börse erfahren von diesem Ort, Nachrichten gehen hinaus, und Besucher kommen herein, wenn es eine Adresse gibt.',
      submit: 'Dieses Konto lebt jetzt hier',
    },
  },
} satisfies Localised<typeof en>;

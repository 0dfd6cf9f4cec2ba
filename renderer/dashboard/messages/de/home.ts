import { calendarDay, count, number } from '../../../shared/format/format.ts';
import type { home as en } from '../en/home.ts';
import type { Localised } from '../../../shared/messages/localised.ts';

const records = (n: number) => count(n, 'Datensatz', 'Datensätze');

export const home = {
  pageTitle: 'Start',
  ok: 'Alles in Ordnung',
  attention: 'Eine Sache braucht deine Aufmerksamkeit',
  attentionMany: (n: number) => `${number(n)} Dinge brauchen deine Aufmerksamkeit`,
  unreachable: 'Dein PDA antwortet nicht',
  importFailed: (file: string) => `Der Import von ${file} wurde vorzeitig abgebrochen`,
  importFailedAt: (line: string, recordsText: string) =>
    `Zeile ${line} konnte nicht gelesen werden. Davor importiert: ${recordsText}.`,
  importFailedNoLine: (recordsText: string) => `Vor dem Fehler importiert: ${recordsText}.`,
  importReady: (file: string) => `${file} ist hochgeladen und kann geprüft werden`,
  importReceiving: (file: string) => `${file} ist zum Teil hochgeladen`,
  importsMore: (n: number) =>
    n === 1
      ? 'Ein weiterer Import braucht deine Aufmerksamkeit'
      : `${number(n)} weitere Importe brauchen deine Aufmerksamkeit`,
  dismiss: 'Ausblenden',
  view: 'Ansehen',
  figures: { records: 'Datensätze', sources: 'Quellen', size: 'Größe', since: 'Erster Datensatz' },
  activity: {
    title: 'Aktivität',
    hint: 'Die letzten 30 Tage, nach Tagen in UTC. Kleine Balken sind vergrößert, damit sie sichtbar bleiben.',
    none: 'In den letzten 30 Tagen wurden keine Datensätze hinzugefügt, geändert oder gelöscht.',
    added: 'Hinzugefügt',
    changed: 'Geändert',
    deleted: 'Gelöscht',
    tip: (created: number, updated: number, deleted: number) =>
      `${number(created)} hinzugefügt, ${number(updated)} geändert, ${number(deleted)} gelöscht`,
    summary: (created: number, updated: number, deleted: number) =>
      `In den letzten 30 Tagen ${records(created)} hinzugefügt, ${number(updated)} geändert und ${number(deleted)} gelöscht.`,
    busiest: (n: number) => `Höchster Wert: ${number(n)}`,
  },
  sharing: {
    title: 'Wer was sehen kann',
    all: 'Freigaben öffnen',
    onlyYou: 'Nur du kannst deine Daten sehen.',
  },
  accessProblems: {
    applicationApproval: (name: string) => `${name} braucht deine Zustimmung`,
    applicationApprovalText: 'Die bisherigen Rechte gelten weiter, bis du entscheidest.',
    applicationProblem: (name: string) => `${name} funktioniert gerade nicht`,
    undelivered: (n: number) =>
      n === 1
        ? 'Eine ausgehende Nachricht konnte nicht zugestellt werden'
        : `${count(n, 'ausgehende Nachricht', 'ausgehende Nachrichten')} konnten nicht zugestellt werden`,
    undeliveredText: 'Dein PDA versucht es nicht mehr. Du kannst die Zustellung wiederholen.',
  },
  outgoing: {
    title: 'Was gelesen wurde',
    all: 'Zugriffe öffnen',
    none: 'In den letzten 30 Tagen hast nur du deine Daten gelesen.',
    week: (n: number) => `${number(n)} in den letzten 7 Tagen`,
    refused: (n: number) => `${number(n)} abgewiesen`,
    allRefused: 'alle abgewiesen',
    nothing: 'nichts gelesen',
    hint: 'In den letzten 30 Tagen gelesene Datensätze, nach Leser.',
  },
  week: {
    title: 'Letzte Woche',
    period: (from: string, to: string) => `Vom ${calendarDay(from)} bis ${calendarDay(to)}.`,
    onlyYou: (from: string, to: string) =>
      `Vom ${calendarDay(from)} bis ${calendarDay(to)} hast nur du auf deine Daten zugegriffen.`,
    read: (n: number, source: string) =>
      n === 0 ? 'hat keine Datensätze gelesen' : `hat ${count(n, 'Datensatz', 'Datensätze')} gelesen: ${source}`,
    openedFiles: (sources: string) => `hat Dateien aus ${sources} geöffnet`,
    files: (source: string) => `Dateien aus ${source}`,
    refused: (n: number) => count(n, 'Anfrage abgewiesen', 'Anfragen abgewiesen'),
    allRefused: (n: number) => `${count(n, 'Anfrage', 'Anfragen')}, alle abgewiesen`,
    more: (n: number) => `und ${count(n, 'weiterer Leser', 'weitere Leser')}`,
    partial: 'Es gab mehr Anfragen, als hier gezählt wurden.',
    news: 'Neu',
    ending: 'Endet bald',
    consentEnds: (name: string) => `Deine Einwilligung für ${name}`,
    linkEnds: (name: string) => `Der Freigabe-Link ${name}`,
    viewEnds: (view: string, person: string) => `Die Freigabe für ${person}: ${view}`,
    invitationEnds: (person: string) => `Die Einladung für ${person}`,
  },
  sources: {
    title: 'Deine Daten',
    endpoints: (n: number) => count(n, 'Endpunkt', 'Endpunkte'),
    all: 'Daten öffnen',
    more: (n: number) => `und ${count(n, 'weitere Quelle', 'weitere Quellen')}`,
  },
  todo: {
    title: 'Noch zu tun',
    hint: 'Nichts davon ist dringend. Was du ausblendest, erscheint nicht wieder.',
    backup: 'Einen Ordner für Sicherungen wählen',
    backupText: 'Ohne Sicherung gehen deine Daten verloren, wenn dieser Computer ausfällt.',
    secondFactor: 'Die Anmeldung mit einem zweiten Faktor schützen',
    secondFactorText: 'Drucke danach die Wiederherstellungscodes aus.',
    address: 'Deinem PDA eine öffentliche Adresse geben',
    addressText: 'Dann können Anwendungen auf anderen Computern und Personen deiner Wahl es erreichen.',
    profile: 'Profil ausfüllen',
    profileText: 'Es bleibt privat, bis du Teile davon veröffentlichst.',
  },
  empty: {
    title: 'Füge deine ersten Daten hinzu',
    text: 'Wähle, wie du anfängst. Den Import einer Datei kannst du jederzeit rückgängig machen und die Beispieldaten jederzeit entfernen.',
    importTitle: 'Eine Datei importieren',
    importText:
      'Den Export eines anderen Dienstes oder eine Datei wie JSON oder CSV. Du siehst eine Vorschau, bevor etwas gespeichert wird.',
    moveTitle: 'Von einem anderen PDA umziehen',
    moveText: 'Importiert ein Archiv des anderen PDA: Datensätze, Dateien, Einwilligungen und Verlauf.',
    addTitle: 'Einen Datensatz hinzufügen',
    addText: 'Gib eine Notiz, einen Messwert oder beliebiges JSON ein.',
    apiTitle: 'Ein Programm verbinden',
    apiText: 'Die API-Dokumentation zeigt jeden Aufruf, mit Beispielen zum Kopieren.',
  },
} satisfies Localised<typeof en>;

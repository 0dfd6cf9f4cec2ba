import { calendarDay, count, number } from '../../../shared/format/format.ts';
import type { home as en } from '../en/home.ts';
import type { Localised } from '../../../shared/messages/localised.ts';

const records = (n: number) => count(n, 'Datensatz', 'Datensätze');

export const home = {
  pageTitle: 'Start',
  ok: 'Alles in Ordnung',
  attention: 'Eine Sache braucht dich',
  attentionMany: (n: number) => `${number(n)} Dinge brauchen dich`,
  unreachable: 'Dein PDA antwortet nicht',
  importFailed: (file: string) => `Der Import von ${file} brach vor dem Ende ab`,
  importFailedAt: (line: string, kept: string) =>
    `Zeile ${line} war nicht lesbar. Was davor kam, ist gespeichert: ${kept}.`,
  importFailedNoLine: (kept: string) => `Was vor dem Fehler kam, ist gespeichert: ${kept}.`,
  importReady: (file: string) => `${file} ist hochgeladen und wartet darauf, dass du es ansiehst`,
  importReceiving: (file: string) => `${file} ist zum Teil hochgeladen`,
  importsMore: (n: number) =>
    n === 1 ? 'Ein weiterer Import braucht dich' : `${number(n)} weitere Importe brauchen dich`,
  dismiss: 'Ausblenden',
  view: 'Ansehen',
  figures: { records: 'Datensätze', sources: 'Quellen', size: 'Größe', since: 'Erster Datensatz' },
  activity: {
    title: 'Was hereinkam',
    hint: 'Die letzten 30 Tage, nach Tagen in UTC. Ruhige Tage sind höher gezeichnet als ihr Anteil, damit man sie sieht.',
    none: 'In den letzten 30 Tagen kam nichts herein und nichts änderte sich.',
    added: 'Hinzugefügt',
    changed: 'Geändert',
    deleted: 'Gelöscht',
    tip: (created: number, updated: number, deleted: number) =>
      `${number(created)} hinzugefügt, ${number(updated)} geändert, ${number(deleted)} gelöscht`,
    summary: (created: number, updated: number, deleted: number) =>
      `In den letzten 30 Tagen ${records(created)} hinzugefügt, ${number(updated)} geändert und ${number(deleted)} gelöscht.`,
    busiest: (n: number) => `höchstens ${number(n)}`,
  },
  sharing: {
    title: 'Wer was sehen kann',
    all: 'Freigaben öffnen',
    onlyYou: 'Niemand außer dir kann hier etwas sehen.',
    more: (n: number) => `und ${number(n)} weitere`,
  },
  outgoing: {
    title: 'Was hinausging',
    all: 'Zugriffe öffnen',
    none: 'Niemand außer dir hat hier in den letzten 30 Tagen etwas gelesen.',
    records,
    week: (n: number) => `${number(n)} in dieser Woche`,
    refused: (n: number) => `${number(n)} abgewiesen`,
    allRefused: 'alle abgewiesen',
    nothing: 'nichts gelesen',
    hint: 'Datensätze, die in den letzten 30 Tagen hinausgingen, nach dem, der sie las.',
    applicationMore: (name: string) => `${name} will mehr, als du erlaubt hast`,
    applicationMoreText: 'Bis du entscheidest, behält es, was es hatte.',
    applicationProblem: (name: string) => `${name} funktioniert gerade nicht`,
    undelivered: (n: number) =>
      n === 1
        ? 'Eine Nachricht an andere kam nicht an'
        : `${count(n, 'Nachricht', 'Nachrichten')} an andere kamen nicht an`,
    undeliveredText: 'Dein PDA hat nach drei Tagen aufgegeben.',
  },
  week: {
    title: 'Letzte Woche',
    all: 'Zugriffe öffnen',
    period: (from: string, to: string) => `Vom ${calendarDay(from)} bis ${calendarDay(to)}.`,
    onlyYou: (from: string, to: string) =>
      `Vom ${calendarDay(from)} bis ${calendarDay(to)} warst nur du an deinen Daten.`,
    read: (n: number, of: string) =>
      n === 0 ? 'hat keine Datensätze gelesen' : `hat ${count(n, 'Datensatz', 'Datensätze')} gelesen: ${of}`,
    openedFiles: (sources: string) => `hat Dateien aus ${sources} geöffnet`,
    files: (source: string) => `Dateien aus ${source}`,
    refused: (n: number) => count(n, 'Anfrage abgewiesen', 'Anfragen abgewiesen'),
    allRefused: (n: number) => `${count(n, 'Anfrage', 'Anfragen')}, alle abgewiesen`,
    more: (n: number) => `und ${count(n, 'weiterer Leser', 'weitere Leser')}`,
    partial: 'Es gab mehr Anfragen, als hier gezählt sind.',
    news: 'Neu',
    ending: 'Endet bald',
    consentEnds: (name: string) => `Deine Einwilligung für ${name}`,
    linkEnds: (name: string) => `Der Freigabe-Link ${name}`,
  },
  sources: {
    title: 'Was hier ist',
    endpoints: (n: number) => count(n, 'Endpunkt', 'Endpunkte'),
    all: 'Daten öffnen',
    more: (n: number) => `und ${count(n, 'weitere Quelle', 'weitere Quellen')}`,
  },
  todo: {
    title: 'Noch zu tun',
    hint: 'Nichts davon eilt. Erledigtes und Ausgeblendetes kommt nicht wieder.',
    dismiss: 'Nicht jetzt',
    dismissLabel: (what: string) => `Nicht jetzt: ${what}`,
    backup: 'Einen Ordner für Sicherungen wählen',
    backupText: 'Geht dieser Computer kaputt, ist sonst alles weg.',
    secondFactor: 'Die Anmeldung mit einem zweiten Faktor schützen',
    secondFactorText: 'Und die Wiederherstellungscodes drucken, die dazugehören.',
    address: 'Deinem PDA eine Adresse geben',
    addressText: 'Damit Anwendungen anderswo und Personen deiner Wahl es erreichen.',
    profile: 'Profil ausfüllen',
    profileText: 'Es bleibt privat, bis du Teile davon veröffentlichst.',
  },
  empty: {
    title: 'Füge deine ersten Daten hinzu',
    text: 'Wähle, wie du anfängst. Jeden dieser Schritte kannst du rückgängig machen.',
    importTitle: 'Eine Datei importieren',
    importText:
      'Einen Download von einem anderen Dienst, eine Tabelle, einen Export: JSON, NDJSON oder CSV. Du siehst alles, bevor es gespeichert wird.',
    moveTitle: 'Von einem anderen PDA umziehen',
    moveText: 'Alles kommt mit, was sein Archiv enthält: Einträge, Dateien, Zustimmungen und Verlauf.',
    addTitle: 'Einen Datensatz selbst schreiben',
    addText: 'Eine Notiz, einen Messwert, irgendetwas in JSON.',
    apiTitle: 'Ein Programm verbinden',
    apiText: 'Die API-Dokumentation zeigt jeden Aufruf, mit Beispielen zum Kopieren.',
  },
} satisfies Localised<typeof en>;

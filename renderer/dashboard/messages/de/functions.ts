import { bytes, count, duration, number } from '../../../shared/format/format.ts';
import type { functions as en } from '../en/functions.ts';
import type { Localised } from '../../../shared/messages/localised.ts';
import { list } from '../../../shared/messages/de/consent.ts';
import { functionRuns, records } from './function-runs.ts';

const functionCount = (n: number) => count(n, 'Funktion', 'Funktionen');

const TIMES = ['', 'einmal', 'zweimal', 'dreimal', 'viermal', 'fünfmal', 'sechsmal', 'siebenmal'];
/** "einmal", "dreimal", "12-mal" */
const times = (n: number): string => TIMES[n] ?? `${number(n)}-mal`;

const sentenceStart = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** 120 ms, 1,4 s, 12 s, 2 Minuten */
const runDuration = (ms: number): string => {
  if (ms < 1000) return `${number(ms)} ms`;
  if (ms < 60_000) return `${String(Number((ms / 1000).toFixed(ms < 10_000 ? 1 : 0))).replace('.', ',')} s`;
  return duration(ms);
};

export const functions = {
  pageTitle: 'Funktionen',
  summary: (on: number, all: number) =>
    on === 0 ? `${functionCount(all)}, keine eingeschaltet` : `${number(on)} von ${functionCount(all)} eingeschaltet`,
  runDuration,
  empty: {
    title: 'Noch keine Funktionen',
    text: 'Eine Funktion berechnet etwas aus deinen Daten: eine Zusammenfassung jedes Tages, Stichwörter aus deinen Texten, eine Zählung neuer Datensätze. Sie läuft auf diesem Computer, in einer Sandbox ohne Netzzugang, bekommt nur, was du erlaubst, und speichert ihre Ergebnisse in einem Endpunkt. Du siehst, was sie liest, kannst sie in einem Probelauf mit deinen eigenen Daten testen und jeden Lauf rückgängig machen.',
    how: 'Eine Funktion ist eine Zip-Datei. Wähle sie oder zieh sie irgendwo auf diese Seite. Sie bleibt aus, bis du sie einschaltest.',
    guide: 'Wie man eine Funktion schreibt',
  },
  paused: {
    title: 'Alle Funktionen sind angehalten',
    since: 'Angehalten',
    text: 'Fällige Läufe warten und starten, sobald du die Funktionen fortsetzt.',
    resume: 'Funktionen fortsetzen',
    pause: 'Alle Funktionen anhalten',
    done: 'Alle Funktionen sind angehalten',
    doneText: 'Keine Funktion startet, bevor du sie fortsetzt, auch nicht nach einem Neustart deines PDA.',
    resumed: 'Funktionen laufen wieder',
  },
  groups: { on: 'Ein', off: 'Aus', removed: 'Entfernt' },
  removedText:
    'Diese Funktionen sind nicht mehr installiert. Ihre gespeicherten Datensätze und ihr Verlauf sind noch hier.',
  states: {
    decision: 'Braucht deine Entscheidung',
    failing: (n: number) => `${sentenceStart(times(n))} fehlgeschlagen`,
    cycle: 'Gestoppt: Endlosschleife',
    unavailable: 'Nicht verfügbar',
    running: 'Läuft gerade',
    queued: 'In der Warteschlange',
    waiting: 'Wartet auf ihren Lauf',
    on: 'Ein',
    off: 'Aus',
    removed: 'Entfernt',
  },
  item: {
    reads: (what: string) => `Liest ${what}`,
    writes: (endpoint: string, isLocal: boolean) =>
      isLocal ? `Läuft auf diesem Computer, speichert in ${endpoint}` : `Speichert in ${endpoint}`,
    unknown: 'Was sie liest, ist noch nicht bekannt',
    never: 'Noch nicht gelaufen',
    remote: (host: string) => `Läuft auf ${host}: Die Daten, die sie liest, verlassen dieses PDA`,
  },
  trigger: {
    individual: 'Innerhalb von Sekunden nach neuen Daten',
    manual: 'Nur wenn du sie startest',
    periodicOnce: {
      year: 'Jedes Jahr, wenn es neue Daten gibt',
      month: 'Jeden Monat, wenn es neue Daten gibt',
      week: 'Jede Woche, wenn es neue Daten gibt',
      day: 'Jeden Tag, wenn es neue Daten gibt',
      hour: 'Jede Stunde, wenn es neue Daten gibt',
      minute: 'Jede Minute, wenn es neue Daten gibt',
      second: 'Jede Sekunde, wenn es neue Daten gibt',
    },
    periodic: (period: string) => `Alle ${period}, wenn es neue Daten gibt`,
  },
  next: {
    never: 'nicht, solange sie aus ist',
    'on new data': 'wenn neue Daten kommen',
    'by hand': 'nur wenn du sie startest',
    soon: 'gleich',
    paused: 'nicht, bevor du die Funktionen fortsetzt',
    ifData: 'wenn es bis dahin neue Daten gibt',
    undecided: 'nicht, bevor du entscheidest',
  },
  notFound: {
    title: 'Funktion nicht gefunden',
    text: 'Sie war nie auf diesem PDA installiert, oder die Adresse ist unvollständig.',
    all: 'Alle Funktionen',
  },
  install: {
    button: 'Funktion installieren',
    drop: 'Lass die Zip-Datei los, um sie zu installieren',
    dropHint: 'Sie bleibt aus, bis du sie einschaltest.',
    sending: (name: string) => `${name} wird hochgeladen`,
    checking: (name: string) => `${name} wird geprüft`,
    progress: (sent: number, size: number) => `${bytes(sent)} von ${bytes(size)}`,
    checkingText: 'Dein PDA fragt die Funktion in der Sandbox, was sie tut und welche Daten sie braucht.',
    failed: (name: string) => `${name} wurde nicht installiert`,
    unsendable: {
      'no zip': (name: string) =>
        `${name} ist keine Zip-Datei. Eine Funktion ist eine Zip-Datei mit manifest.json und einem Modul.`,
      empty: (name: string) => `${name} ist leer.`,
      'too large': (name: string) => `${name} ist größer als die Grenze von 250 MB.`,
    },
    onlyOne: 'Zieh immer nur eine Funktion auf die Seite.',
    dismiss: 'Diese Meldung schließen',
    done: (name: string) => `${name} ist installiert`,
    doneText: 'Sie bleibt aus, bis du sie einschaltest.',
    updated: (name: string, version: string) => `${name} hat jetzt Version ${version}`,
    updatedText: 'Was du erlaubt hast, bleibt gleich.',
    updatedMore: 'Sie fragt mehr an, als du erlaubt hast, und wartet auf deine Entscheidung.',
    differentFunction: (name: string) => `Das war eine andere Funktion: ${name} ist zusätzlich installiert`,
  },
  actions: {
    enable: 'Einschalten',
    disable: 'Ausschalten',
    run: 'Jetzt ausführen',
    runAll: 'Mit allen Daten ausführen',
    dryRun: 'Probelauf',
    history: 'Alle Läufe',
    update: 'Andere Version installieren',
    runDone: (name: string) => `${name} ist gelaufen`,
    runDoneText: (n: number) =>
      n === 0 ? 'Ihr letzter Lauf hat nichts gespeichert.' : `Ihr letzter Lauf hat ${records(n)} gespeichert.`,
    runFailed: (name: string) => `${name} ist fehlgeschlagen`,
    notRun: (name: string) => `${name} ist nicht gelaufen`,
    mayHaveStarted: (name: string) => `${name} wurde möglicherweise gestartet`,
    runAllTitle: (name: string) => `${name} mit allen Daten ausführen`,
    runAllText:
      'Sie bekommt alle Daten, die du erlaubt hast, nicht nur neue Datensätze, und speichert ihre Ergebnisse noch einmal. Du kannst diesen Lauf rückgängig machen.',
    runAllLeaves: (host: string) => `Alle diese Daten werden noch einmal an ${host} gesendet.`,
    runAllSubmit: 'Jetzt mit allen Daten ausführen',
  },
  disable: {
    title: (name: string) => `${name} ausschalten`,
    text: 'Ab sofort läuft sie nicht mehr und liest keine Daten. Läuft sie gerade, wird der Lauf abgebrochen und speichert nichts. Frühere Ergebnisse bleiben.',
    textRemote: (host: string) => `${host} hat die Daten, die schon gesendet wurden.`,
    keep: 'Eingeschaltet lassen',
    submit: 'Ausschalten',
    done: (name: string) => `${name} ist aus`,
    doneText: 'Sie liest keine Daten mehr und läuft nicht mehr.',
  },
  remove: {
    title: (name: string) => `${name} entfernen`,
    text: (endpoint: string) =>
      `Das entfernt die Funktion von deinem PDA, und sie läuft nicht mehr. Ihre Ergebnisse in ${endpoint} und ihr Verlauf bleiben. Um sie wieder zu verwenden, installiere sie noch einmal.`,
    submit: 'Entfernen',
    done: (name: string) => `${name} ist entfernt`,
    doneText: 'Ihre Ergebnisse sind noch hier.',
  },
  notice: {
    decision: (name: string) => `${name} fragt mehr an, als du erlaubt hast`,
    decisionText: 'Sie läuft nicht, bevor du entscheidest.',
    decisionGo: 'Änderungen prüfen',
    failing: (n: number) => `Diese Funktion ist ${times(n)} fehlgeschlagen`,
    failingAgain: 'Frühere Ergebnisse sind unverändert. Nächster Versuch:',
    failingEnd:
      'Frühere Ergebnisse sind unverändert. Sie läuft wieder, wenn neue Daten kommen oder wenn du sie startest.',
    failingManual: 'Frühere Ergebnisse sind unverändert. Sie läuft erst wieder, wenn du sie startest.',
    failingGo: 'Lauf ansehen',
    cycle: 'Diese Funktion wurde gestoppt, weil sie in einer Endlosschleife läuft',
    cycleText: (names: readonly string[]) =>
      `${names.join(' → ')}: Die Ausgabe jeder Funktion startet die nächste, endlos. Schalte eine davon aus. Andere neue Daten starten sie weiterhin.`,
    unavailable: 'Diese Funktion ist nicht verfügbar',
    unavailableText:
      'Sie hat noch nicht gemeldet, was sie tut und was sie liest. Dein PDA versucht es automatisch wieder.',
    unavailableRemote: (host: string, reason: string) =>
      `Dein PDA hat ihre Beschreibung bei ${host} angefragt. ${reason}`,
    removed: 'Diese Funktion wurde entfernt',
    removedText: 'Ihre Ergebnisse und ihr Verlauf sind noch hier.',
    remote: (host: string) => `Die Daten, die sie liest, verlassen dieses PDA: Sie läuft auf ${host}`,
    remoteText:
      'Was dort mit den Daten geschieht, kann dein PDA weder sehen noch rückgängig machen. Jeder Lauf steht unter Zugriffe.',
    remoteGo: 'Ansehen, was gesendet wurde',
    off: 'Diese Funktion ist aus',
    offText:
      'Sie läuft nicht. Prüfe, was sie liest, mach einen Probelauf, der nichts speichert, und schalte sie dann ein oder lass sie aus.',
  },
  facts: {
    title: 'Überblick',
    when: 'Wann sie läuft',
    reads: 'Was sie liest',
    readsNew:
      'Jeder Lauf bekommt die Datensätze, die seit dem letzten erfolgreichen Lauf neu oder geändert sind. Der erste bekommt alle.',
    readsAll: 'Jeder Lauf bekommt alle diese Datensätze noch einmal.',
    writes: 'Wo sie speichert',
    writesOnly: 'und nirgends sonst',
    where: 'Wo sie läuft',
    local: 'Auf diesem Computer, in einer Sandbox: kein Netz, keine Dateien, keine anderen Programme.',
    remote: (host: string) => `Auf einem anderen Server, ${host}. Alle Daten, die sie liest, werden dorthin gesendet.`,
    limits: 'Grenzen',
    limitsLocal: (memoryMb: number, ms: number) => `${number(memoryMb)} MB Speicher und ${runDuration(ms)} je Lauf`,
    limitsRemote: (ms: number) =>
      `${runDuration(ms)} je Lauf. Ihr Speicherbedarf auf dem anderen Server ist unbekannt.`,
    last: 'Letzter Lauf',
    next: 'Nächster Lauf',
    allowed: 'Von dir erlaubt',
    version: 'Version',
  },
  about: {
    title: 'Was sie tut',
    developerText: 'Name und Beschreibung stammen von ihren Entwicklern. Was sie liest, prüft dein PDA.',
  },
  scope: {
    title: 'Was sie liest',
    titleRequested: 'Was sie lesen würde',
    approved: 'Das hast du erlaubt. Kein Lauf bekommt mehr, egal was die Funktion anfragt.',
    nothing: 'Sie hat noch nicht gemeldet, was sie liest.',
    allPerRun: (n: number) => `Jeder vorhandene und neue Datensatz, höchstens ${number(n)} je Lauf`,
    matchingPerRun: (n: number) => `Jeder passende vorhandene und neue Datensatz, höchstens ${number(n)} je Lauf`,
  },
  latest: {
    title: 'Letzte Läufe',
    all: (n: number) => (n === 1 ? 'Alle Läufe (1)' : `Alle ${number(n)} Läufe`),
    none: 'Sie ist noch nicht gelaufen.',
    noneOn: 'Sie ist noch nicht gelaufen. Mit „Jetzt ausführen“ liest sie die Daten, die du schon hast.',
  },
  technical: {
    id: 'Funktions-ID',
    bundle: 'Datenbündel (Data Bundle)',
    sha256: 'SHA-256',
    size: 'Paket',
    show: 'Konfiguration als JSON zeigen',
    json: 'Konfiguration als JSON',
  },
  enable: {
    title: (name: string) => `${name} einschalten`,
    titleMore: (name: string) => `${name} fragt mehr an`,
    lead: 'Das ist alles, was sie anfragt. Sie läuft nicht, bevor du es erlaubst.',
    leaves: (what: string, host: string) => `Diese Daten würden dieses PDA verlassen: ${what}, gesendet an ${host}`,
    leavesText:
      'Das umfasst alle vorhandenen Datensätze und jeden neuen oder geänderten, immer wieder, solange die Funktion eingeschaltet ist. Was dort mit den Daten geschieht, kann dein PDA weder sehen noch rückgängig machen.',
    staysLocal: 'Nichts verlässt dieses PDA',
    staysLocalText:
      'Sie läuft auf diesem Computer, in einer Sandbox ohne Netzzugang. Ihre Ergebnisse werden hier gespeichert.',
    changes: 'Was sich ändert',
    changesText: (version: string) =>
      `Verglichen mit dem, was du für Version ${version} erlaubt hast. Sie läuft nicht, bevor du entscheidest.`,
    changesNone: 'Sie fragt dasselbe an wie vorher.',
    movedTo: (host: string) =>
      `Sie läuft jetzt auf ${host}: Alle Daten, die sie liest, verlassen dieses PDA und werden dorthin gesendet`,
    storesInOtherEndpoint: (endpoint: string) => `Ihre Ergebnisse speichert sie jetzt in ${endpoint}`,
    runsAutomatically: 'Sie läuft jetzt automatisch. Vorher lief sie nur, wenn du sie gestartet hast',
    movedHere: 'Sie läuft jetzt auf diesem Computer und nicht mehr auf einem anderen Server',
    atMostText: (what: string) => `${what}: alle vorhandenen und alle neuen Datensätze, bis du sie ausschaltest.`,
    stores: 'Speichert in',
    until: 'Dauer',
    untilText: 'Bis du sie ausschaltest. Das kannst du jederzeit, und es wirkt sofort.',
    input: 'Was sie jetzt bekäme',
    inputText: 'Eine Vorschau deiner aktuellen Daten. Nichts davon wird an die Funktion gesendet.',
    inputNone: 'Im Moment keine passenden Datensätze.',
    inputRest: (n: number) => `und ${count(n, 'weiterer Datensatz', 'weitere Datensätze')}`,
    inputAll: 'Alles in einem Probelauf ansehen',
    inputFailed: 'Die Vorschau ließ sich nicht erstellen',
    allow: (what: string) => `Einschalten und lesen lassen: ${what}`,
    allowRemote: (what: string, host: string) => `Einschalten und an ${host} senden: ${what}`,
    allowMore: (n: number) => (n === 1 ? 'Diese Erweiterung erlauben' : `Diese ${number(n)} Erweiterungen erlauben`),
    dryRun: 'Erst ein Probelauf',
    unavailable: 'Diese Funktion ist nicht verfügbar und lässt sich nicht einschalten',
    done: (name: string) => `${name} ist eingeschaltet`,
    doneText: 'Du kannst sie jederzeit ausschalten.',
    changed: 'Die Funktion hat ihre Anfrage geändert, während du sie gelesen hast',
    changedText: 'Nichts wurde erlaubt. Du siehst jetzt, was sie aktuell anfragt.',
    reviewFirst: 'Prüfe erst, was sie jetzt anfragt.',
  },
  ...functionRuns,
  home: {
    failing: (name: string, n: number) => `${name} ist ${times(n)} fehlgeschlagen`,
    cycle: (name: string) => `${name} wurde gestoppt: Endlosschleife`,
    cycleText: (chain: readonly string[]) => `${list(chain)} starten einander endlos.`,
    unavailable: (name: string) => `${name} ist eingeschaltet, aber nicht verfügbar`,
  },
} satisfies Localised<typeof en>;

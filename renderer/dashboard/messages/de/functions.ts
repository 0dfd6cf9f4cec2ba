import { bytes, count, duration, number } from '../../../shared/format/format.ts';
import type { functions as en } from '../en/functions.ts';
import type { Localised } from '../../../shared/messages/localised.ts';
import { list } from '../../../shared/messages/de/consent.ts';
import { functionRuns, records } from './function-runs.ts';

const all = (n: number) => count(n, 'Funktion', 'Funktionen');

const TIMES = ['', 'einmal', 'zweimal', 'dreimal', 'viermal', 'fünfmal', 'sechsmal', 'siebenmal'];
/** "einmal", "dreimal", "12-mal" */
const times = (n: number): string => TIMES[n] ?? `${number(n)}-mal`;

const sentenceStart = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** 120 ms, 1,4 s, 12 s, 2 Minuten */
const took = (ms: number): string => {
  if (ms < 1000) return `${number(ms)} ms`;
  if (ms < 60_000) return `${String(Number((ms / 1000).toFixed(ms < 10_000 ? 1 : 0))).replace('.', ',')} s`;
  return duration(ms);
};

export const functions = {
  pageTitle: 'Funktionen',
  lead: 'Was mit deinen Daten rechnet, in welchen Grenzen, und was dabei herauskam.',
  summary: (on: number, n: number) =>
    on === 0 ? `${all(n)}, keine eingeschaltet` : `${number(on)} von ${all(n)} eingeschaltet`,
  took,
  records,
  empty: {
    title: 'Noch keine Funktionen',
    text: 'Eine Funktion rechnet etwas aus deinen Daten aus: eine Zusammenfassung jedes Tages, Stichwörter dessen, was du schreibst, eine Zählung dessen, was hereinkam. Sie läuft hier, in einer geschlossenen Kiste ohne Netz, bekommt nur, was du erlaubst, und speichert, was sie macht, an einem Ort. Du siehst, was sie liest, kannst einen Probelauf mit deinen eigenen Daten ansehen und zurücknehmen, was sie getan hat.',
    how: 'Eine Funktion ist eine Zip-Datei. Wähle sie, oder lass sie irgendwo auf dieser Seite fallen. Das Installieren lässt nichts laufen.',
    guide: 'Wie man eine Funktion schreibt',
  },
  paused: {
    title: 'Alle Funktionen sind angehalten',
    since: 'Keine läuft seit',
    text: 'Wofür sie gelaufen wären, wartet, und sie laufen dafür, sobald du sie fortsetzt.',
    resume: 'Funktionen fortsetzen',
    pause: 'Alle Funktionen anhalten',
    done: 'Alle Funktionen sind angehalten',
    doneText: 'Keine beginnt zu laufen, bevor du sie fortsetzt, auch nicht nach einem Neustart dieses PDA.',
    resumed: 'Funktionen laufen wieder',
  },
  groups: { on: 'Ein', off: 'Aus', removed: 'Entfernt' },
  removedText: 'Sie sind nicht mehr hier. Was sie gespeichert haben, schon, und ihre Geschichte auch.',
  states: {
    decision: 'Möchte deine Entscheidung',
    failing: (n: number) => `${sentenceStart(times(n))} fehlgeschlagen`,
    circle: 'Gestoppt: läuft im Kreis',
    unavailable: 'Nicht verfügbar',
    running: 'Läuft gerade',
    queued: 'Ist bald an der Reihe',
    waiting: 'Wartet auf ihren Lauf',
    on: 'Ein',
    off: 'Aus',
    removed: 'Entfernt',
  },
  line: {
    reads: (what: string) => `Liest ${what}`,
    writes: (endpoint: string, isHere: boolean) =>
      isHere ? `Läuft hier, speichert in ${endpoint}` : `Speichert in ${endpoint}`,
    unknown: 'Sie hat noch nicht gesagt, was sie liest',
    last: 'Letzter Lauf',
    next: 'Nächster Lauf',
    never: 'Ist noch nie gelaufen',
    elsewhere: (host: string) => `Läuft bei ${host}: Was sie liest, verlässt dieses PDA`,
  },
  trigger: {
    individual: 'Sekunden nach neuen Daten',
    manual: 'Nur wenn du es sagst',
    periodic: (period: string) => `Alle ${period}, wenn es neue Daten gibt`,
  },
  next: {
    never: 'nicht, solange sie aus ist',
    'on new data': 'wenn neue Daten kommen',
    'by hand': 'nur wenn du es sagst',
    soon: 'gleich',
    ifData: 'wenn es bis dahin neue Daten gibt',
    undecided: 'nicht, bevor du entscheidest',
  },
  gone: {
    title: 'Diese Funktion gibt es nicht',
    text: 'Sie war hier nie installiert, oder die Adresse ist unvollständig.',
    all: 'Alle Funktionen',
  },
  install: {
    button: 'Funktion installieren',
    drop: 'Lass die Zip-Datei los, um sie zu installieren',
    dropHint: 'Nichts läuft, bevor du es einschaltest.',
    sending: (name: string) => `${name} ist unterwegs`,
    checking: (name: string) => `${name} ist da und wird angesehen`,
    progress: (sent: number, size: number) => `${bytes(sent)} von ${bytes(size)}`,
    checkingText: 'Sie wird in ihrer geschlossenen Kiste gefragt, was sie ist und was sie liest.',
    failed: (name: string) => `${name} wurde nicht installiert`,
    unsendable: {
      'no zip': (name: string) =>
        `${name} ist keine Zip-Datei. Eine Funktion ist ein Zip mit manifest.json und einem Modul darin.`,
      empty: (name: string) => `${name} ist leer.`,
      'too large': (name: string) => `${name} ist größer, als eine Funktion sein darf: 250 MB.`,
    },
    one: 'Lass immer nur eine Funktion fallen.',
    dismiss: 'Diese Meldung schließen',
    done: (name: string) => `${name} ist installiert`,
    doneText: 'Sie ist aus: Nichts von ihr läuft, bevor du sie einschaltest.',
    updated: (name: string, version: string) => `${name} hat jetzt Version ${version}`,
    updatedText: 'Was du erlaubt hast, ist wie zuvor.',
    updatedMore: 'Sie will mehr, als du erlaubt hast, und wartet auf deine Entscheidung.',
    other: (name: string) => `Das war eine andere Funktion: ${name} ist zusätzlich installiert`,
  },
  actions: {
    more: 'Weitere Aktionen',
    enable: 'Einschalten',
    enableLink: (name: string) => `${name} ansehen und einschalten`,
    disable: 'Ausschalten',
    run: 'Jetzt laufen lassen',
    runAll: 'Einmal alles lesen',
    dryRun: 'Probelauf',
    history: 'Alle Läufe',
    update: 'Andere Version installieren',
    remove: 'Entfernen',
    ran: (name: string) => `${name} ist gelaufen`,
    ranStored: (n: number) => (n === 0 ? 'Sie hat nichts gespeichert.' : `Sie hat ${records(n)} gespeichert.`),
    runFailed: (name: string) => `${name} ist fehlgeschlagen`,
    notRun: (name: string) => `${name} ist nicht gelaufen`,
    runAllTitle: (name: string) => `${name} einmal alles lesen lassen`,
    runAllText:
      'Sie bekommt alles, was sie lesen darf, nicht nur das Neue, und speichert noch einmal, was sie daraus macht. Du kannst diesen Lauf zurücknehmen.',
    runAllLeaves: (host: string) => `Alles davon wird noch einmal an ${host} gesendet.`,
    runAllSubmit: 'Jetzt alles lesen',
    cancel: 'Lassen',
  },
  disable: {
    title: (name: string) => `${name} ausschalten`,
    text: 'Von diesem Moment an liest sie nichts und läuft nicht. Läuft sie gerade, wird das abgebrochen und speichert nichts. Was sie vorher gespeichert hat, bleibt.',
    textElsewhere: (host: string) => `Was ihr schon gesendet wurde, hat ${host}.`,
    keep: 'Eingeschaltet lassen',
    submit: 'Ausschalten',
    done: (name: string) => `${name} ist aus`,
    doneText: 'Sie liest nichts und läuft nicht.',
  },
  remove: {
    title: (name: string) => `${name} entfernen`,
    text: (endpoint: string) =>
      `Sie wird von diesem PDA genommen und läuft nicht mehr. Was sie in ${endpoint} gespeichert hat, bleibt, und ihre Geschichte auch. Um sie wieder zu haben, installiere sie noch einmal.`,
    keep: 'Behalten',
    submit: 'Entfernen',
    done: (name: string) => `${name} ist entfernt`,
    doneText: 'Was sie gespeichert hat, ist noch hier.',
  },
  notice: {
    decision: (name: string) => `${name} will mehr, als du erlaubt hast`,
    decisionText: 'Sie läuft nicht, bevor du entscheidest.',
    decisionGo: 'Ansehen, was neu ist',
    failing: (n: number) => `Sie ist ${times(n)} fehlgeschlagen`,
    failingAgain: 'Was sie vorher gespeichert hatte, ist wie zuvor. Sie wird wieder versucht',
    failingEnd:
      'Was sie vorher gespeichert hatte, ist wie zuvor. Sie wird wieder versucht, wenn neue Daten kommen oder wenn du sie laufen lässt.',
    failingGo: 'Diesen Lauf ansehen',
    circle: 'Sie wurde gestoppt, weil sie im Kreis läuft',
    circleText: (names: readonly string[]) =>
      `${names.join(' → ')}: Was die eine speichert, startet die nächste, ohne Ende. Schalte eine davon aus. Für alles, was sie sonst lesen, laufen sie weiter.`,
    circleAlone: 'Was sie speichert, würde sie wieder starten, ohne Ende.',
    unavailable: 'Sie ist nicht verfügbar',
    unavailableText: 'Sie hat noch nicht gesagt, was sie ist und was sie liest. Sie wird von selbst wieder gefragt.',
    unavailableElsewhere: (host: string, why: string) => `${host} wurde gefragt, was sie ist. ${why}`,
    removed: 'Sie wurde entfernt',
    removedText: 'Was sie gespeichert hat, ist noch hier, und ihre Geschichte auch.',
    elsewhere: (host: string) => `Was sie liest, verlässt dieses PDA: Sie läuft bei ${host}`,
    elsewhereText:
      'Was dort daraus wird, kann dein PDA weder sehen noch rückgängig machen. Jeder Lauf steht unter Zugriffe.',
    elsewhereGo: 'Was gesendet wurde',
    newer: (version: string) => `Version ${version} will nicht mehr, als du erlaubt hast, und läuft.`,
    off: 'Sie ist aus',
    offText:
      'Nichts von ihr läuft. Sieh an, was sie liest; probiere sie aus, ohne etwas zu speichern; dann schalte sie ein, oder lass sie.',
  },
  facts: {
    title: 'In Kürze',
    when: 'Wann sie läuft',
    reads: 'Was sie liest',
    readsNew: 'Jeder Lauf bekommt, was seit dem letzten gelungenen neu oder geändert ist; der erste bekommt alles.',
    readsAll: 'Jeder Lauf bekommt alles noch einmal.',
    writes: 'Wo sie speichert',
    writesOnly: 'und nirgends sonst',
    where: 'Wo sie läuft',
    here: 'Auf diesem Computer, in einer geschlossenen Kiste: kein Netz, keine Dateien, kein anderes Programm.',
    elsewhere: (host: string) => `Bei ${host}. Was sie liest, wird dorthin gesendet.`,
    limits: 'Ihre Grenzen',
    limitsHere: (memoryMb: number, ms: number) => `${number(memoryMb)} MB Speicher und ${took(ms)} je Lauf`,
    limitsElsewhere: (ms: number) => `${took(ms)} je Lauf. Wie viel Speicher sie dort braucht, ist nicht bekannt.`,
    last: 'Letzter Lauf',
    next: 'Nächster Lauf',
    allowed: 'Von dir erlaubt',
    allowedVersion: (version: string) => `Version ${version}`,
    maker: 'Gemacht von',
    terms: 'Bedingungen',
    support: 'Hilfe',
    version: 'Version',
  },
  about: {
    title: 'Was sie tut',
    ownWords: 'Name und Beschreibung sind ihre eigenen Worte. Was sie liest, prüft dein PDA.',
  },
  scope: {
    title: 'Was sie liest',
    titleAsked: 'Was sie lesen würde',
    approved: 'Das hast du erlaubt. Kein Lauf bekommt mehr, was immer sie will.',
    nothing: 'Sie hat noch nicht gesagt, was sie liest.',
    atOnce: (n: number) => `Jeder Datensatz und jeder neue, sobald er kommt, höchstens ${number(n)} in einem Lauf`,
    atOnceFitting: (n: number) =>
      `Jeder passende Datensatz und jeder neue, der passt, höchstens ${number(n)} in einem Lauf`,
  },
  latest: {
    title: 'Was sie getan hat',
    all: (n: number) => (n === 1 ? 'Alle Läufe (1)' : `Alle ${number(n)} Läufe`),
    none: 'Sie ist noch nicht gelaufen.',
  },
  technical: {
    id: 'Funktions-Id',
    bundle: 'Datenbündel (Data Bundle)',
    sha256: 'SHA-256',
    size: 'Paket',
    show: 'Ihre Konfiguration als JSON zeigen',
    json: 'Ihre Konfiguration als JSON',
  },
  enable: {
    title: (name: string) => `${name} einschalten`,
    titleMore: (name: string) => `${name} will mehr`,
    lead: 'Das ist alles. Nichts läuft, bevor du es sagst.',
    leaves: (what: string, host: string) => `Dieses PDA verlassen würde, hin zu ${host}: ${what}`,
    leavesText:
      'Alles, was jetzt hier ist, und alles Neue oder Geänderte, sobald es kommt, immer wieder, solange sie eingeschaltet ist. Was dort daraus wird, kann dein PDA weder sehen noch rückgängig machen.',
    stays: 'Nichts verlässt dieses PDA',
    staysText:
      'Sie läuft auf diesem Computer, in einer geschlossenen Kiste ohne Netz. Was sie macht, wird hier gespeichert.',
    changes: 'Was sich ändert',
    changesText: (version: string) =>
      `Gegenüber dem, was du für Version ${version} erlaubt hast. Bis du entscheidest, läuft sie nicht.`,
    changesNone: 'Sie will nicht mehr und nicht weniger als vorher.',
    movedTo: (host: string) => `Sie läuft jetzt bei ${host}: Was sie liest, verlässt dieses PDA, dorthin`,
    storesElsewhere: (endpoint: string) => `Was sie macht, speichert sie jetzt in ${endpoint}`,
    byItself: 'Sie lief, wenn du sie gestartet hast; jetzt läuft sie von selbst',
    movedHere: 'Sie läuft jetzt auf diesem Computer und nicht mehr anderswo',
    purpose: 'Wofür',
    when: 'Wann',
    worst: 'Höchstens',
    worstHere: (what: string) => `${what}: alles, was jetzt hier ist, und alles Neue, bis du sie ausschaltest.`,
    limits: 'Grenzen',
    stores: 'Speichert in',
    until: 'Bis wann',
    untilText: 'Bis du sie ausschaltest. Das kannst du jederzeit, und es endet sofort.',
    input: 'Wie sie es jetzt bekäme',
    inputWait: 'In diesem Moment zusammengestellt. Nichts wird übergeben.',
    inputNone: 'Im Moment nichts: Es gibt keine solchen Datensätze.',
    inputRest: (n: number) => `und ${count(n, 'weiterer Datensatz', 'weitere Datensätze')}`,
    inputAll: 'Alles in einem Probelauf ansehen',
    inputFailed: 'Was sie bekäme, ließ sich nicht zusammenstellen',
    allow: (what: string) => `Einschalten, liest ${what}`,
    allowElsewhere: (what: string, host: string) => `Einschalten, sendet ${what} an ${host}`,
    allowMore: (n: number) => (n === 1 ? 'Auch das noch erlauben' : `Auch diese ${number(n)} Dinge erlauben`),
    allowSame: 'Eingeschaltet lassen, wie sie jetzt ist',
    notNow: 'Jetzt nicht',
    dryRun: 'Erst ein Probelauf',
    unavailable: 'Sie ist nicht verfügbar und lässt sich nicht einschalten',
    done: (name: string) => `${name} ist eingeschaltet`,
    doneText: 'Du kannst sie auf dieser Seite jederzeit ausschalten.',
    changed: 'Während du gelesen hast, hat sie etwas anderes veröffentlicht',
    changedText: 'Nichts wurde erlaubt. Was du jetzt siehst, ist, was sie inzwischen will.',
    changedLook: 'Sieh dir erst an, was sie jetzt will.',
  },
  ...functionRuns,
  home: {
    decision: (name: string) => `${name} will mehr, als du erlaubt hast`,
    decisionText: 'Sie läuft nicht, bevor du entscheidest.',
    failing: (name: string, n: number) => `${name} ist ${times(n)} fehlgeschlagen`,
    circle: (name: string) => `${name} wurde gestoppt: läuft im Kreis`,
    circleText: (chain: readonly string[]) => `${list(chain)} starten einander ohne Ende.`,
    unavailable: (name: string) => `${name} ist eingeschaltet und nicht verfügbar`,
  },
} satisfies Localised<typeof en>;

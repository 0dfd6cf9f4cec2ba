import type { Texts } from './en.ts';

const numberFormat = new Intl.NumberFormat('de-DE');
const formatNumber = (value: number): string => numberFormat.format(value);
const toWholeSeconds = (milliseconds: number): number => Math.max(1, Math.round(milliseconds / 1000));
const formatSeconds = (milliseconds: number): string =>
  toWholeSeconds(milliseconds) === 1 ? '1 Sekunde' : `${formatNumber(toWholeSeconds(milliseconds))} Sekunden`;
const formatMegabytes = (bytes: number): string => `${formatNumber(Math.ceil(bytes / 1_000_000))} MB`;
/** Appends the server's own message, which is more exact and always English. */
const withDetails = (summary: string, details: string): string => `${summary}. Meldung auf Englisch: ${details}`;

const DATA_IS_SAFE = 'Alles Gespeicherte ist noch da. Niemand erreicht deine Daten, bis der Server wieder läuft.';

const COMMAND_ERRORS: ReadonlyMap<string | undefined, string> = new Map([
  ['not_found', 'Das wurde nicht gefunden'],
  ['wrong_state', 'Das geht nicht mehr: Inzwischen hat sich etwas geändert'],
  ['rate_limited', 'Zu viel auf einmal. Nichts wurde geändert'],
  ['internal_error', 'In deinem PDA ist ein Fehler aufgetreten'],
  ['unavailable', 'Das ist gerade nicht verfügbar'],
  ['out_of_disk', 'Die Festplatte deines PDA ist voll'],
]);

const HOME_PROBLEMS: Readonly<Record<string, string>> = {
  in_use: 'Ein anderes Programm benutzt dein PDA gerade',
  unusable: 'Der Ordner deines PDA lässt sich nicht benutzen',
  damaged: 'Die Datenbank deines PDA ist beschädigt',
  newer: 'Die Daten deines PDA gehören zu einer neueren Version',
  not_a_pda: 'In diesem Ordner ist kein PDA',
};

/** Translates the message of `pda copy restore` about the database, which is matched verbatim. */
function translateDatabaseMessage(message: string): string {
  if (message === 'the database was not changed: this version can open it')
    return 'Die Datenbank wurde nicht verändert, denn diese Version kann sie öffnen.';
  const match = /^restored the copy(?:; the previous database was saved as (?<previous>.+))?$/u.exec(message);
  if (match === null) return `Zur Datenbank sagt er, auf Englisch: ${message}.`;
  const previousPath = match.groups?.['previous'];
  return `Die Kopie der Datenbank wurde wiederhergestellt${previousPath === undefined ? '' : `; die vorherige Datenbank liegt in ${previousPath}`}.`;
}

export const de: Texts = {
  language: 'de',
  quoted: (text) => `„${text}“`,

  tray: {
    tooltip: (text) => `Personal Data Account: ${text}`,
    running: 'Läuft auf diesem Computer',
    requests: (count) => (count === 1 ? '1 Anfrage wartet' : `${formatNumber(count)} Anfragen warten`),
    backup: {
      never: 'Noch keine erfolgreiche Sicherung',
      old: 'Eine Sicherung ist überfällig',
      damaged: 'Die neueste Sicherung ist beschädigt',
    },
    exposure: {
      off: 'Privat: nur von diesem Computer zu erreichen',
      dark: 'Abgeschirmt: Niemand von außen wird hereingelassen',
      public: (host) => `Öffentlich unter ${host}`,
      readable: (host, reader) => `Lesbar für ${reader}: öffentlich unter ${host}`,
      nameRefused: (reader) => `Offline: ${reader} verweigert diesem PDA den Namen`,
      connecting: (host) => `Offline: auf dem Weg zu ${host}`,
      certificate: (host) => `Offline: Das Zertifikat von ${host} fehlt noch`,
      unreachable: (host) => `Offline: Niemand erreicht ${host}`,
      refused: (host) => `Offline: Das Relay verweigert diesem PDA den Namen ${host}`,
      impostor: (host) => `Verschlossen: Unter ${host} antwortet jemand anderes`,
    },
    functionsPaused: 'Funktionen angehalten',
    stopped: 'Beendet',
    starting: 'Startet',
    stopping: 'Wird beendet',
    waiting: (reason, milliseconds) =>
      `Der Server läuft nicht: ${reason}. Neuer Start in ${formatSeconds(milliseconds)}`,
    failed: (reason) => `Der Server läuft nicht: ${reason}`,
    stoppedForUpdate: (version) => `Angehalten für die Aktualisierung auf Version ${version}`,
    checkingForUpdates: 'Sucht nach Aktualisierungen',
    downloadingUpdate: (version) => `Lädt Version ${version} herunter`,
    installingUpdate: (version) => `Installiert Version ${version}`,
  },

  commands: {
    open: 'Öffnen',
    requests: 'Anfragen ansehen',
    backups: 'Sicherungen ansehen',
    goDark: 'Abschirmen',
    reopenAddress: 'Besucher wieder hereinlassen',
    pauseFunctions: 'Funktionen anhalten',
    resumeFunctions: 'Funktionen fortsetzen',
    launchAtLogin: 'Starten, wenn ich mich am Computer anmelde',
    tryAgain: 'Server jetzt starten',
    checkForUpdates: 'Nach Aktualisierungen suchen…',
    installUpdate: (version) => `Version ${version} installieren…`,
    quit: 'Beenden',
    notDone: 'Der Befehl ist fehlgeschlagen',
    notChanged: 'Nichts wurde geändert',
  },

  menu: {
    file: 'Datei',
    requests: 'Anfragen',
    edit: 'Bearbeiten',
    view: 'Ansicht',
    speech: 'Vorlesen',
    window: 'Fenster',
    roles: {
      about: 'Über Personal Data Account',
      services: 'Dienste',
      hide: 'Personal Data Account ausblenden',
      hideOthers: 'Andere ausblenden',
      unhide: 'Alle einblenden',
      quit: 'Personal Data Account beenden',
      close: 'Fenster schließen',
      undo: 'Rückgängig',
      redo: 'Wiederholen',
      cut: 'Ausschneiden',
      copy: 'Kopieren',
      paste: 'Einfügen',
      pasteAndMatchStyle: 'Einfügen und Stil anpassen',
      delete: 'Löschen',
      selectAll: 'Alles auswählen',
      startSpeaking: 'Vorlesen beginnen',
      stopSpeaking: 'Vorlesen beenden',
      reload: 'Neu laden',
      resetZoom: 'Originalgröße',
      zoomIn: 'Vergrößern',
      zoomOut: 'Verkleinern',
      togglefullscreen: 'Vollbild ein oder aus',
      toggleDevTools: 'Entwicklerwerkzeuge ein oder aus',
      minimize: 'Minimieren',
      zoom: 'Zoomen',
      front: 'Alle nach vorne bringen',
    },
  },

  notification: {
    deny: 'Ablehnen',
    approve: 'Erlauben',
    view: 'Ansehen',
    groupTitle: (count) => `${formatNumber(count)} Anfragen nach deinen Daten`,
    groupBody: (names, hasMore) =>
      `Von ${names}${hasMore ? ' und anderen' : ''}. Nichts wird freigegeben, bevor du entscheidest.`,
    renewed: (count) => `${formatNumber(count)} Erlaubnisse haben sich verlängert`,
    renewedText: 'Du hast der automatischen Verlängerung zugestimmt. Du kannst jede Erlaubnis jederzeit beenden.',
    notApproved: 'Nicht erlaubt',
    notDenied: 'Nicht abgelehnt',
  },

  commandErrors: {
    notRunning: 'Dein PDA läuft nicht. Nichts wurde geändert.',
    stopped: 'Dein PDA wurde beendet, bevor es antwortete. Prüfe, ob der Befehl ausgeführt wurde.',
    timedOut: 'Dein PDA antwortete nicht rechtzeitig. Prüfe, ob der Befehl ausgeführt wurde.',
    refused: (code, text) => withDetails(COMMAND_ERRORS.get(code) ?? 'Das wurde abgelehnt', text),
  },

  exitReasons: {
    exited: 'Er hat sich unerwartet beendet',
    code: (code) => `Er endete mit dem Code ${code}`,
    killed: (signal) => `Er wurde durch ${signal} beendet`,
    notStarted: (message) => `Er ließ sich nicht starten (${message})`,
    startTimedOut: (milliseconds) => `Er antwortete nicht innerhalb von ${formatSeconds(milliseconds)}`,
    unresponsive: (times) => `Er antwortete ${times}-mal hintereinander nicht`,
    updateUnfinished: 'Die Aktualisierung kam nicht zu Ende',
    updateUnfinishedBecause: (why) => `Die Aktualisierung kam nicht zu Ende (${why})`,
  },

  home: {
    unavailable: (home) => `Der Ordner deines PDA, ${home}, ist nicht verfügbar`,
    cannotStart: (kind, text) => withDetails(HOME_PROBLEMS[kind] ?? 'Etwas hinderte ihn am Start', text),
  },

  failure: {
    starting: 'Dein PDA startet',
    startingText: 'Das dauert einen Moment, nach einer Aktualisierung der App ein paar Minuten.',
    notRunning: 'Dein PDA läuft nicht',
    dataIsSafe: DATA_IS_SAFE,
    stopped: 'Dein PDA läuft gerade nicht',
    stoppedText: (reason) => `Der Server läuft nicht: ${reason}. ${DATA_IS_SAFE}`,
    restartsIn: (milliseconds) => `Er wird in ${formatSeconds(milliseconds)} wieder gestartet.`,
    remedies: {
      in_use:
        'Vielleicht wurde es an diesem Computer über die Befehlszeile gestartet. Nichts wurde geändert. Beende es dort, und starte es dann hier.',
      unusable: 'Wenn er auf einer externen Festplatte liegt, schließe sie zuerst an. Nichts wurde geändert.',
      newer: 'Aktualisiere diese App. Nichts wurde geändert.',
      damaged: 'Stelle eine Sicherung wieder her. Nichts wurde geändert.',
    },
    lastOutput: 'Letzte Ausgabe:',
  },

  updates: {
    noSource: 'Für diese Version gibt es keine Quelle für Aktualisierungen.',
    manualInstallation: (version) =>
      `Du hast Version ${version}. Eine neuere wird von Hand darüber installiert; deine Daten bleiben, wo sie sind.`,
    serverNotStarted: 'Gerade lässt sich nicht nach Aktualisierungen suchen',
    serverNotStartedText: 'Dein PDA muss erst gestartet sein. Versuche es noch einmal, wenn es läuft.',
    upToDate: 'Du hast die neueste Version',
    upToDateText: (version) => `Das ist Version ${version}.`,
    available: (version) => `Es gibt Version ${version}`,
    availableText: (version) =>
      `Du hast Version ${version}. Nach dem Herunterladen wirst du noch einmal gefragt, bevor die neue installiert wird.`,
    download: 'Herunterladen',
    notNow: 'Jetzt nicht',
    install: (version) => `Version ${version} jetzt installieren?`,
    installText:
      'Dein PDA hält für ein, zwei Minuten an; so lange erreicht es niemand. Vorher wird die Datenbank kopiert. Wenn die neue Version nicht funktioniert, kehrt dein PDA automatisch zu dieser zurück.',
    installButton: 'Installieren',
    later: 'Später',
    checkFailed: 'Nach einer neueren Version ließ sich nicht suchen',
    downloadFailed: (version) => `Version ${version} ließ sich nicht herunterladen`,
    notInstalled: (version) => `Version ${version} wurde nicht installiert`,
    notInstalledText: 'Dein PDA ist unverändert. Du kannst die Aktualisierung noch einmal versuchen.',
    failedText: (why) => `${why}\nDein PDA ist unverändert.`,
    notEnoughSpace: (requiredBytes, freeBytes) =>
      `Auf der Festplatte ist nicht genug Platz: Die Aktualisierung braucht ${formatMegabytes(requiredBytes)}, frei sind ${formatMegabytes(freeBytes)}.`,
    notStopped: 'Der Server ließ sich nicht ordnungsgemäß beenden.',
    testInterrupted: 'Die App oder der Computer wurde während seines zweiten Tests beendet',
    unhealthy: (status) => `Seine Zustandsprüfung ist fehlgeschlagen (${status})`,
    didNotRespond: 'Er antwortete nicht',
    rolledBack: (from) => `Dein PDA ist zu Version ${from} zurückgekehrt`,
    rolledBackText: (from, to, reason, database) =>
      `Der Server der Version ${to} lief nicht richtig: ${reason}. Der Server der Version ${from} läuft wieder. ${translateDatabaseMessage(database)} Nichts wurde gelöscht. Version ${to} wird nicht wieder angeboten.`,
    rollbackFailedText: (from, to, reason, why) =>
      `Der Server der Version ${to} lief nicht richtig: ${reason}. Die Rückkehr zu Version ${from} ist fehlgeschlagen: ${why}. Deine Daten sind in ihrem Ordner, und eine Kopie von vor der Aktualisierung ist darin im Ordner „backups“. Beim nächsten Start wird es wieder versucht.`,
    updated: (to) => `Dein PDA hat jetzt Version ${to}`,
    updatedText: (from) =>
      `Vorher war es Version ${from}. Eine Kopie der Datenbank von damals ist im Ordner „backups“ deines PDA.`,
  },

  vault: {
    noKeyring:
      'Auf diesem Computer ist kein Schlüsselbund eingerichtet (GNOME-Schlüsselbund oder KWallet). Ohne ihn wäre ein Geheimnis nur durch ein allgemein bekanntes Passwort geschützt; deshalb wird es nicht gespeichert.',
    notReady: 'Der Schlüsselbund dieses Computers lässt sich gerade nicht benutzen. Vielleicht ist er gesperrt.',
  },
};

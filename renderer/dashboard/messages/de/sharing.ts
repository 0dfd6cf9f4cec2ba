import { count, number } from '../../../shared/format/format.ts';
import type { sharing as en } from '../en/sharing.ts';
import type { Localised } from '../../../shared/messages/localised.ts';
import { list } from '../../../shared/messages/de/consent.ts';

const records = (n: number) => count(n, 'Datensatz', 'Datensätze');
const times = (n: number) => (n === 1 ? 'einmal' : count(n, 'Mal', 'Mal'));

/** @param props at least one of the numbers is not 0 */
const foldersAndCollections = ({ folders, collections }: { folders: number; collections: number }): string =>
  list([
    ...(folders > 0 ? [count(folders, 'Ordner', 'Ordnern')] : []),
    ...(collections > 0 ? [count(collections, 'Sammlung', 'Sammlungen')] : []),
  ]);

export const sharing = {
  pageTitle: 'Freigaben',
  lead: (n: number) =>
    n === 0
      ? 'Du gibst nichts frei.'
      : n === 1
        ? 'Ein Empfänger kann einige deiner Daten sehen.'
        : `${number(n)} Empfänger können einige deiner Daten sehen.`,
  leadPublic: (n: number) =>
    n === 0
      ? 'Einige deiner Daten sind öffentlich.'
      : n === 1
        ? 'Einige deiner Daten sind öffentlich, und ein Empfänger kann mehr sehen.'
        : `Einige deiner Daten sind öffentlich, und ${number(n)} Empfänger können mehr sehen.`,
  incomplete: 'Diese Liste ist vielleicht unvollständig',
  loadingMore: 'Weitere Empfänger werden geladen…',
  empty: {
    title: 'Nichts ist freigegeben',
    text: 'Hier steht, wer einige deiner Daten sehen darf: was genau, bis wann und wann zuletzt gelesen wurde. Du kannst jede Freigabe jederzeit beenden.',
  },
  map: {
    title: 'Wer was sehen kann',
    view: 'Ansicht',
    asMap: 'Karte',
    asTable: 'Tabelle',
    label: 'Karte, wer was sehen kann',
    who: 'Wer',
    what: 'Was',
    entire: 'Ganze Datensätze oder Dateien',
    fields: 'Einige Felder',
    records: 'Alle Datensätze',
    files: 'Dateien',
    moreSources: (n: number) => count(n, 'weitere Quelle', 'weitere Quellen'),
    sees: (sources: string) => ` kann ${sources} sehen`,
    seenBy: (readers: string) => ` ist sichtbar für ${readers}`,
    allEndpoints: 'alle Endpunkte',
    extent: 'Umfang',
    until: 'Bis',
    every: 'Ganze Datensätze, auch später hinzugefügte Felder',
    everyEndpoint: 'Ganze Datensätze, auch später hinzugefügte Endpunkte',
    hidden: (n: number) =>
      `Die Karte zeigt, wer am meisten sehen kann. ${n === 1 ? 'Ein weiterer Zugriff steht' : `${number(n)} weitere stehen`} in der Liste.`,
    toList: 'Zur Liste',
  },
  kinds: {
    consent: 'Einwilligung',
    application: 'Anwendung',
    contract: 'Vertrag',
    function: 'Funktion',
    person: 'Person',
    table: 'Tabelle',
    chart: 'Diagramm',
    link: 'Link',
    public: 'Alle',
  },
  readers: {
    stop: 'Stoppen',
    stopLabel: (name: string) => `Stoppen: ${name}`,
    view: 'Ansehen, was sie sieht',
    viewLabel: (name: string) => `Ansehen, was sie sieht: ${name}`,
    allRecords: 'alle deine Datensätze',
    namespaces: (names: readonly string[]) => `alles in ${list(names)}, auch künftige Datensätze`,
    files: (names: readonly string[]) => `Dateien von ${list(names)}`,
  },
  guestPreview: {
    view: 'Als Gast ansehen',
    viewLabel: (name: string) => `Als Gast ansehen: ${name}`,
    title: (name: string) => `Was ${name} sieht`,
    lead: 'Die Seiten dieses Gastes, wie sie jetzt aussehen. Seiten und Dateien kannst du öffnen. Archive, CSV-Dateien, das Konto und das Abmelden funktionieren nur für den Gast. Unter Zugriffe zählt das nicht als Besuch des Gastes.',
    locked: (name: string) => `${name} ist gesperrt und sieht davon nichts, bis du das Konto entsperrst.`,
  },
  linkPreview: {
    view: 'Als Besucher ansehen',
    viewLabel: (name: string) => `Als Besucher ansehen: ${name}`,
    title: (name: string) => `Was Besucher von ${name} sehen`,
    lead: 'Die Seite dieses Freigabe-Links, wie sie jetzt für Besucher aussieht, nach dem Passwort, falls er eines hat. Die Dateien kannst du öffnen. Das Archiv funktioniert nur für Besucher. Diese Vorschau zählt weder als Besuch noch als geöffnete Datei.',
  },
  /** Readers without a consent or rights of an application. */
  otherReaders: {
    person: (files: number, readable: number) =>
      readable === files
        ? `kann ${count(files, 'Datei', 'Dateien')} öffnen`
        : `sieht ${count(files, 'Datei', 'Dateien')} und kann ${number(readable)} davon öffnen`,
    personInTargets: (files: number, readable: number, targets: { folders: number; collections: number }) =>
      readable === files
        ? `kann ${count(files, 'Datei', 'Dateien')} öffnen, dazu neue in ${foldersAndCollections(targets)}`
        : `sieht ${count(files, 'Datei', 'Dateien')} und kann ${number(readable)} davon öffnen, dazu neue in ${foldersAndCollections(targets)}`,
    link: (content: string) => `gibt allen, die den Link haben, Zugriff auf: ${content}`,
    linkWithPassword: (content: string) => `gibt allen, die den Link und sein Passwort haben, Zugriff auf: ${content}`,
    publicFiles: 'Öffentliche Dateien',
    publicFilesText: (n: number) => `${count(n, 'Datei', 'Dateien')}, offen für alle mit der Adresse`,
    profile: 'Öffentliches Profil',
    profileText: (fields: number) => `jeder kann ${count(fields, 'Feld', 'Felder')} unter der Adresse deines PDA sehen`,
    profileBundle: 'jeder kann die Daten des Datenbündels phata sehen, das in deinem Konto gespeichert ist',
    function: (host: string, what: string) => `läuft auf ${host} und erhält ${what}`,
    stopLabel: (name: string) => `Beenden: ${name}`,
    stopLink: {
      title: (name: string) => `${name} widerrufen?`,
      text: 'Der Link funktioniert sofort nicht mehr. Das lässt sich nicht rückgängig machen. Vorher heruntergeladene Kopien bleiben bestehen.',
      submit: 'Widerrufen',
    },
    stopPerson: {
      title: (name: string) => `Nichts mehr für ${name} freigeben?`,
      text: (name: string) =>
        `Diese Dateien, Ordner und Sammlungen sind dann nicht mehr für ${name} freigegeben. Öffentliche Dateien und Freigabe-Links sind nicht betroffen. Das Konto von ${name} wird nicht entfernt.`,
      submit: 'Freigabe beenden',
      done: (name: string) => `Dateien, Ordner und Sammlungen sind nicht mehr für ${name} freigegeben`,
    },
    stopPublicFiles: {
      title: 'Alle öffentlichen Dateien privat machen?',
      text: 'Ihre öffentlichen Adressen funktionieren sofort nicht mehr. Freigabe-Links und Personen mit Zugriff sind nicht betroffen.',
      submit: 'Privat machen',
      done: 'Keine Datei ist mehr öffentlich',
    },
    stopProfile: {
      title: 'Dein Profil privat machen?',
      text: 'Keines seiner Felder bleibt öffentlich. Das Profil selbst ändert sich nicht.',
      textBundle:
        'Das Datenbündel phata wird entfernt, und keines der Felder deines Profils bleibt öffentlich. Die Daten selbst ändern sich nicht.',
      submit: 'Privat machen',
      done: 'Dein Profil ist jetzt privat',
    },
  },
  pause: {
    menu: 'Pausieren…',
    title: (name: string) => `Freigabe für ${name} pausieren`,
    text: (name: string) =>
      `Während der Pause kann ${name} nichts lesen. Danach wird die Freigabe automatisch fortgesetzt, bis die Einwilligung wie vereinbart endet. Du kannst die Freigabe früher fortsetzen.`,
    choice: (days: number, until: string) => `${count(days, 'Tag', 'Tage')}: bis ${until}`,
    endsTooSoon: 'Diese Einwilligung endet heute. Beende stattdessen die Freigabe.',
    submit: 'Pausieren',
    paused: (name: string) => `Die Freigabe für ${name} ist pausiert`,
    pausedText: (until: string) => `Bis ${until}, dann wird sie automatisch fortgesetzt.`,
    pausedUntil: (until: string) => `Pausiert bis ${until}`,
    pausedHint: (name: string) =>
      `Bis dahin kann ${name} nichts lesen. Danach wird die Freigabe automatisch fortgesetzt.`,
    cannotSee: (what: string) => `Sieht ${what} im Moment nicht`,
    pausedTitle: (name: string, what: string) => `${name} sieht ${what} im Moment nicht`,
    resume: 'Jetzt fortsetzen',
    resumeLabel: (name: string) => `Jetzt fortsetzen: ${name}`,
    resumed: (name: string) => `${name} kann wieder lesen`,
  },
  now: 'Jetzt freigegeben',
  notNow: 'Im Moment nicht freigegeben',
  endedOrDeclined: 'Beendet oder abgelehnt',
  canSee: (what: string) => `Sieht ${what}`,
  willSee: (what: string) => `Wird ${what} sehen können`,
  couldSee: (what: string) => `Konnte ${what} sehen`,
  requested: (what: string) => `Angefragt war ${what}`,
  lastRead: 'Zuletzt gelesen',
  never: 'Nie gelesen',
  reads: (n: number) => `${times(n)} gelesen`,
  stop: 'Freigabe beenden',
  stopLabel: (name: string, what: string) => `Freigabe beenden: ${name}, ${what}`,
  waiting: 'Bittet um eine Änderung',
  end: {
    chooseDay: 'Datum wählen…',
    day: 'Letzter Tag',
    past: 'Wähle heute oder einen späteren Tag.',
    outOfRange: (days) => `Wähle einen Tag in den nächsten ${days} Tagen.`,
  },
  state: {
    until: (day: string) => `bis ${day}, dann endet die Freigabe`,
    renews: (day: string, interval: string) =>
      `bis du die Freigabe beendest; läuft jetzt bis ${day} und verlängert sich dann ${interval}`,
    stops: (day: string) => `noch bis ${day}, wie du gewählt hast`,
    begins: (day: string) => `ab ${day}`,
    disabled: (day: string) => `Von dir beendet, ${day}`,
    disabledUnknown: 'Von dir beendet',
    ended: (day: string) => `Abgelaufen, ${day}`,
    rejected: 'Du hast abgelehnt',
    pending: 'Wartet auf deine Entscheidung',
    removed: 'Entfernt',
  },
  renewed: (name: string) => `Die Erlaubnis für ${name} hat sich verlängert`,
  renewedText: (day: string) =>
    `Sie hat sich am ${day} verlängert, wie vereinbart, und gilt, bis du die Freigabe beendest.`,
  stopped: {
    title: (name: string) => `${name} kann diese Daten nicht mehr lesen`,
    stillShared: (name: string) => `${name} kann diese Daten noch lesen`,
    proof: {
      refused: (status: string) => `Dein PDA hat gerade dieselbe Anfrage gestellt: ${status}`,
      shared: (status: string) =>
        `Dein PDA hat gerade dieselbe Anfrage gestellt und noch Daten bekommen: ${status}. Sieh auf der Seite der Einwilligung nach.`,
      inconclusive: (status: string) =>
        `Dieselbe Anfrage ließ sich nicht prüfen: ${status}. Sieh auf der Seite der Einwilligung nach.`,
    },
    unproved: 'Dieselbe Anfrage ließ sich nicht stellen: Sieh auf der Seite der Einwilligung nach.',
    viewProof: 'Nachweis ansehen',
  },
  enabledAgain: (name: string) => `${name} kann diese Daten wieder lesen`,
  continues: (name: string) => `Die Einwilligung für ${name} läuft weiter`,
  allowedAgain: (name: string, day: string) => `Wieder erlaubt. ${name} kann diese Daten ab ${day} lesen`,

  page: {
    title: (name: string, what: string) => `${name} kann ${what} sehen`,
    laterTitle: (name: string, what: string) => `${name} wird ${what} sehen können`,
    pastTitle: (name: string, what: string) => `${name} konnte ${what} sehen`,
    refusedTitle: (name: string, what: string) => `${name} hat um ${what} gebeten`,
    notFound: 'Einwilligung nicht gefunden',
    notFoundShort: 'Keine Einwilligung unter dieser Adresse',
    notFoundText:
      'Sie wurde entfernt, oder die Adresse ist unvollständig. Was durch sie gelesen wurde, steht unter Zugriffe.',
    back: 'Alle Einwilligungen',
    since: 'Erlaubt',
    howOften: 'Wie oft',
    counts: (reads: number, n: number) => `${times(reads)}, ${records(n)} insgesamt`,
    refusedTerm: 'Abgewiesen',
    refused: (n: number) => count(n, 'Anfrage', 'Anfragen'),
    history: 'Zugriffe ansehen',
    waiting: 'Eine Änderung ist angefragt und wartet auf deine Entscheidung.',
    waitingRequest: 'Eine Anfrage wartet auf deine Entscheidung.',
    decide: 'Ansehen und entscheiden',
    stopAtEnd: (day: string) => `Am Ende dieses Zeitraums beenden: ${day}`,
    shareAgain: 'Wieder freigeben',
    keepSharing: 'Weiter freigeben',
    removeTitle: (name: string) => `Die Einwilligung für ${name} entfernen`,
    removeText: (name: string, isNotified: boolean) =>
      `Die Einwilligung endet sofort und verschwindet aus dieser Liste. ${name} ${isNotified ? 'wird benachrichtigt und ' : ''}kann unter diesem Schlüssel nie wieder anfragen. Was gelesen wurde, bleibt unter Zugriffe stehen.`,
    removeSubmit: 'Entfernen',
    removed: (name: string) => `Einwilligung für ${name} entfernt`,
    stopsAtEnd: (day: string) => `Die Freigabe endet: ${day}`,
    technical: { show: 'Die Datenfreigabe als JSON zeigen', json: 'Die Datenfreigabe als JSON' },
  },
  change: {
    title: (name: string) => `Ändern, was ${name} sehen kann`,
    lead: (notified: string | null) =>
      `Wähle aus dem, was angefragt war. Die Änderung gilt sofort und braucht keine Zustimmung.${notified === null ? '' : ` ${notified} wird benachrichtigt.`}`,
    againTitle: (name: string) => `Wieder für ${name} freigeben`,
    againLead: 'Wähle aus dem, was angefragt war. Nichts wird freigegeben, bevor du bestätigst.',
    now: 'Jetzt',
    before: 'Bisher',
    until: 'Bis',
    asGranted: (until: string) => `Wie von dir erlaubt: ${until}`,
    submit: (what: string, until: string) => `Freigeben: ${what}, ${until}`,
    nothing: 'Es bleibt nichts zum Freigeben. Um nichts freizugeben, beende die Freigabe.',
    changed: (name: string) => `Du hast geändert, was ${name} sehen kann`,
    outdated: 'Diese Einwilligung wurde inzwischen geändert',
    outdatedText: 'Deine Änderung wurde nicht gespeichert. Die Seite zeigt die aktuelle Einwilligung.',
  },
  proof: {
    title: 'Nachweis, dass die Freigabe beendet ist',
    text: (name: string) => `Dein PDA stellt dieselbe Anfrage, die ${name} stellen würde.`,
    request: 'Anfrage',
    response: 'Antwort',
    results: {
      refused: (status: string) => `${status}: abgewiesen`,
      shared: (status: string) => `${status}: Daten sind noch freigegeben`,
      inconclusive: (status: string) => `${status}: Das sagt nichts über die Einwilligung aus`,
    },
    stillShared:
      'Der Nachweis ist fehlgeschlagen: Durch diese Einwilligung sind noch Werte freigegeben. Lade die Seite neu und beende sie noch einmal.',
    time: 'Zeit',
    repeat: 'Anfrage wiederholen',
    body: 'Vollständige Antwort',
  },
  receipt: {
    title: 'Beleg',
    text: 'Eine Datei mit der Vereinbarung und ihrem Verlauf, von deinem PDA signiert. Sie belegt später, was du erlaubt hast, für dich und für die andere Seite.',
    check: 'Jeder kann sie ohne Internet prüfen, ohne dich zu fragen:',
    command: (key: string) => `npm run pda -- verify-receipt beleg-${key}.json --key FINGERABDRUCK`,
    thumbprint:
      'Fingerabdruck deines Signaturschlüssels. Gib ihn selbst weiter, damit die andere Seite prüfen kann, dass der Beleg von dir stammt:',
    download: 'Signierten Beleg herunterladen',
    file: (key: string) => `beleg-${key}.json`,
  },
  past: {
    title: 'Verlauf der Erlaubnisse',
    states: {
      waiting: 'Wartet auf deine Entscheidung',
      rejected: 'Abgelehnt',
      scheduled: 'Erlaubt, noch nicht begonnen',
      running: 'Erlaubt, läuft',
      ended: 'Abgelaufen',
      disabled: 'Beendet',
      replaced: 'Durch eine neuere ersetzt',
    },
    requested: 'Angefragt',
    stopped: 'Beendet',
    ended: 'Abgelaufen',
    less: 'Du hast weniger erlaubt, als angefragt war. Nicht erlaubt:',
    compared: 'Verglichen mit der vorigen',
    same: 'Wie die vorige',
  },
} satisfies Localised<typeof en>;

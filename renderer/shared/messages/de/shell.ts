import { count } from '../../format/format.ts';
import type { shell as en } from '../en/shell.ts';
import type { Localised } from '../localised.ts';

/** German texts of error codes. The server's message is more precise, but may be in English. */
const REFUSALS: Readonly<Record<string, string>> = {
  invalid_input: 'Etwas an der Eingabe stimmt nicht.',
  invalid_json: 'Das ist kein lesbares JSON.',
  already_exists: 'Das gibt es schon.',
  data_missing: 'Diese Daten sind nicht mehr hier.',
  data_debit_not_enabled: 'Das ist nicht freigegeben.',
  function_not_available: 'Diese Funktion ist nicht verfügbar.',
  function_not_enabled: 'Diese Funktion ist nicht eingeschaltet.',
  not_authenticated: 'Du bist nicht mehr angemeldet.',
  invalid_credentials: 'Der Name oder das Passwort stimmt nicht.',
  second_factor_required: 'Das braucht den zweiten Faktor.',
  forbidden: 'Das ist nicht erlaubt.',
  setup_only_local: 'Einrichten geht nur an diesem Computer selbst.',
  invalid_setup_code: 'Die Einmaladresse gilt nicht mehr.',
  not_found: 'Das ist nicht mehr hier.',
  wrong_state: 'Das geht im Moment nicht: Inzwischen hat sich etwas geändert.',
  not_set_up: 'Dieses PDA ist noch nicht eingerichtet.',
  too_large: 'Das ist zu groß.',
  unsupported_media_type: 'Diese Art von Datei wird hier nicht angenommen.',
  memory: 'Die Funktion brauchte mehr Speicher, als sie darf.',
  time: 'Die Funktion brauchte länger, als sie darf.',
  error: 'Die Funktion ist fehlgeschlagen.',
  output: 'Die Funktion antwortete, was sie nicht darf.',
  crashed: 'Die Funktion ist abgebrochen.',
  unavailable: 'Das ist gerade nicht verfügbar.',
};

function refused(code: string, message: string, language: string): string {
  const why = REFUSALS[code] ?? 'Das wurde abgelehnt.';
  if (language === 'de') return `${why} ${message}`;
  return message === '' ? why : `${why} Genauer, auf Englisch: ${message}`;
}

/** Frame, navigation, palette and texts shared by all pages. */
export const shell = {
  product: 'Personal Data Account',
  pageTitle: (page: string, name: string) => (name === '' ? page : `${page} · ${name}`),
  skip: 'Zum Inhalt springen',
  nav: {
    label: 'Seiten',
    home: 'Start',
    requests: 'Anfragen',
    sharing: 'Freigaben',
    data: 'Daten',
    files: 'Dateien',
    timeline: 'Zeitleiste',
    applications: 'Anwendungen',
    functions: 'Funktionen',
    history: 'Zugriffe',
    settings: 'Einstellungen',
    more: 'Mehr',
    close: 'Schließen',
  },
  account: {
    label: (name: string) => `${name}: Darstellung, Sprache und Abmelden`,
    appearance: 'Darstellung',
    light: 'Hell',
    dark: 'Dunkel',
    system: 'Wie dieses Gerät',
    language: 'Sprache',
    signOut: 'Abmelden',
  },
  days: { asTable: 'Als Tabelle zeigen', asChart: 'Als Diagramm zeigen', day: 'Tag' },
  search: 'Gehe zu…',
  searchShort: 'Suchen',
  searchKeys: 'Strg K',
  searchKeysApple: '⌘ K',
  offline: 'Dein PDA antwortet nicht. Was du siehst, ist von vorhin; diese Seite versucht es weiter.',
  palette: {
    label: 'Gehe zu einer Seite, einem Endpunkt oder einer Aktion',
    placeholder: 'Gehe zu einer Seite, einem Endpunkt oder einer Aktion',
    nothing: 'Nichts mit diesem Namen.',
    pages: 'Seiten',
    endpoints: 'Endpunkte',
    applications: 'Anwendungen',
    functions: 'Funktionen',
    installFunction: 'Eine Funktion installieren',
    functionGuide: 'Wie man eine Funktion schreibt',
    messages: 'Nachrichten an andere',
    offers: 'Angebote',
    contracts: 'Verträge',
    network: 'Netzwerk',
    actions: 'Aktionen',
    importFile: 'Eine Datei importieren',
    addRecord: 'Einen Datensatz hinzufügen',
    recentlyDeleted: 'Kürzlich gelöscht',
    uploads: 'Uploads',
    space: 'Was den Platz belegt',
    deletedFiles: 'Kürzlich gelöschte Dateien',
    imports: 'Importe',
    security: 'Sicherheit',
    people: 'Personen',
    api: 'API-Dokumentation',
    about: 'Über dieses PDA',
    switchLight: 'Auf hell umstellen',
    switchDark: 'Auf dunkel umstellen',
    signOut: 'Abmelden',
  },
  loading: 'Lädt…',
  retry: 'Noch einmal versuchen',
  close: 'Schließen',
  cancel: 'Abbrechen',
  copy: 'Kopieren',
  copied: 'Kopiert',
  showPassword: 'Passwort zeigen oder verbergen',
  copyRequestId: 'Anfragenummer kopieren',
  requestId: 'Anfragenummer',
  notFound: {
    title: 'Unter dieser Adresse ist nichts',
    text: 'Vielleicht war hier in einer früheren Version eine Seite, oder die Adresse ist unvollständig.',
    home: 'Zum Start',
  },
  crash: {
    title: 'Diese Seite hat aufgehört zu arbeiten',
    text: 'Deine Daten sind unberührt. Meist hilft es, die Seite neu zu laden.',
    reload: 'Seite neu laden',
  },
  /** Labels of request fields in validation errors. */
  field: {
    fields: {
      name: 'Name',
      email: 'E-Mail',
      password: 'Passwort',
      newPassword: 'Neues Passwort',
      passphrase: 'Passphrase',
      folder: 'Ordner',
      website: 'Website',
      phone: 'Telefon',
      birthday: 'Geburtstag',
      endpoint: 'Endpunkt',
    },
    entry: (number: number) => `Eintrag ${number}`,
    address: 'Adresse dieser Seite',
  },
  problem: {
    title: 'Das konnte nicht geladen werden',
    notDone: 'Das ging nicht',
    unreachable:
      'Dein PDA antwortet nicht. Nichts wurde geändert. Sieh nach, ob es läuft, und versuche es noch einmal.',
    unreadable:
      'Etwas zwischen dieser Seite und deinem PDA hat eine Antwort gegeben, die nicht lesbar war. Nichts wurde geändert.',
    internal: 'In deinem PDA ist ein Fehler aufgetreten. Was geschah, ist unter der Anfragenummer unten vermerkt.',
    rateLimited: (seconds: number | undefined) =>
      seconds === undefined
        ? 'Zu viele Versuche in kurzer Zeit. Warte einen Moment und versuche es dann noch einmal.'
        : `Zu viele Versuche in kurzer Zeit. Versuche es in ${count(Math.ceil(seconds), 'Sekunde', 'Sekunden')} noch einmal.`,
    refused,
    outOfDisk:
      'Die Festplatte deines PDA ist voll. Was schon da war, bleibt; Neues kann erst gespeichert werden, wenn wieder Platz ist.',
  },
} satisfies Localised<typeof en>;

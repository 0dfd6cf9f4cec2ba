import { count, number } from '../../../shared/format/format.ts';
import type { contracts as en } from '../en/contracts.ts';
import type { Localised } from '../../../shared/messages/localised.ts';
import { list } from '../../../shared/messages/de/consent.ts';

const times = (n: number) => (n === 1 ? 'einmal' : count(n, 'Mal', 'Mal'));

/** Contracts that let other services read and write data of the PDA. */
export const contracts = {
  tabs: { label: 'Freigaben', sharing: 'Einwilligungen', contracts: 'Verträge' },
  pageTitle: 'Verträge, denen du beigetreten bist',
  lead: 'Mit einem Vertrag kann ein Dienst mit den Daten vieler Menschen arbeiten. Du trittst bei, indem du seine Anwendung einrichtest. Der Dienst hat dann die hier genannten Rechte, ohne jedes Mal zu fragen, bis du austrittst.',
  empty: {
    title: 'Keine Verträge',
    text: 'Wenn du eine Anwendung der Art „Vertrag“ einrichtest, darf ein Dienst bestimmte Teile deiner Daten zusammen mit denen anderer Menschen lesen oder schreiben. Seine Rechte und Zugriffe stehen dann hier.',
    go: 'Anwendungen öffnen',
  },
  reads: (names: readonly string[]) => `Liest alles in ${list(names)}, auch künftige Datensätze`,
  writes: (names: readonly string[]) => `Speichert und ändert Datensätze in ${list(names)}`,
  nothing: 'Kann jetzt nichts lesen oder schreiben',
  states: {
    joined: 'Beigetreten',
    joining: 'Beitritt läuft',
    leaving: 'Ausgetreten',
    failed: 'Nicht beigetreten',
  },
  since: 'Beigetreten',
  lastUsed: 'Zuletzt benutzt',
  neverUsed: 'Nie benutzt',
  counts: (reads: number, writes: number) => `${times(reads)} gelesen, ${times(writes)} geschrieben`,
  refused: (n: number) => `${number(n)} abgewiesen`,
  history: 'Zugriffe ansehen',
  historyLabel: (name: string) => `Zugriffe ansehen: ${name}`,
  application: 'Über den Vertrag',
  applicationLabel: (name: string) => `Über den Vertrag: ${name}`,
  problems: {
    joining:
      'Der Vertragsdienst ist noch nicht benachrichtigt. Dein PDA versucht es weiter. Deine Einwilligung gilt schon.',
    leaving:
      'Der Vertrag gewährt keinen Zugriff mehr. Der Vertragsdienst ist noch nicht benachrichtigt; dein PDA versucht es weiter.',
    failed:
      'Der Vertragsdienst hat dein PDA abgelehnt. Der Vertrag gewährt keinen Zugriff. Um es noch einmal zu versuchen, tritt aus und richte die Anwendung neu ein.',
    because: (problem: string) => `Letzter Fehler: ${problem}`,
  },
  leave: {
    action: 'Austreten',
    title: (name: string) => `Aus ${name} austreten`,
    submit: 'Austreten',
    keep: 'Bleiben',
    points: {
      stops: (name: string) =>
        `${name} kann hier sofort nichts mehr lesen oder schreiben, auch nicht mit Tokens, die noch gültig sind.`,
      serviceNotified: 'Der Vertragsdienst wird benachrichtigt und entfernt dein PDA aus seiner Liste.',
      dataStays:
        'Was der Dienst hier gespeichert hat, bleibt hier und gehört dir. Was er gelesen hat, behält er; unter Zugriffe steht, was das war.',
    },
    undo: 'Du kannst wieder beitreten, indem du die Anwendung einrichtest.',
    done: (name: string) => `Du bist aus ${name} ausgetreten`,
    doneText: 'Der Dienst kann hier nichts mehr lesen oder schreiben.',
  },
  home: {
    failed: (name: string) => `Der Beitritt zu ${name} ist fehlgeschlagen`,
  },
} satisfies Localised<typeof en>;

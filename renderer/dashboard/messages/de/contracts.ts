import { count, number } from '../../../shared/format/format.ts';
import type { contracts as en } from '../en/contracts.ts';
import type { Localised } from '../../../shared/messages/localised.ts';
import { list } from '../../../shared/messages/de/consent.ts';

const times = (n: number) => (n === 1 ? 'einmal' : count(n, 'Mal', 'Mal'));

/** Contracts that let other services read and write data of the PDA. */
export const contracts = {
  tabs: { label: 'Teile der Freigaben', sharing: 'Einwilligungen', contracts: 'Verträge' },
  pageTitle: 'Verträge, denen du beigetreten bist',
  lead: 'Ein Dienst kann durch einen Vertrag mit den Daten vieler Menschen arbeiten. Du trittst bei, indem du seine Anwendung einrichtest. Dann darf er, was hier steht, ohne jedes Mal zu fragen, bis du austrittst.',
  empty: {
    title: 'Keine Verträge',
    text: 'Wenn du eine Anwendung der Art „Vertrag“ einrichtest, darf ein Dienst bestimmte Teile deiner Daten zusammen mit denen anderer Menschen lesen oder schreiben. Was er darf und was er tat, steht dann hier.',
    go: 'Anwendungen öffnen',
  },
  by: (developer: string) => `von ${developer}`,
  reads: (names: readonly string[]) => `Liest alles in ${list(names)}, auch was noch kommt`,
  writes: (names: readonly string[]) => `Speichert und ändert in ${list(names)}`,
  nothing: 'Darf jetzt nichts lesen oder schreiben',
  states: {
    joined: 'Beigetreten',
    joining: 'Tritt bei',
    leaving: 'Ausgetreten',
    failed: 'Nicht beigetreten',
  },
  since: 'Beigetreten',
  lastUsed: 'Zuletzt benutzt',
  neverUsed: 'Nie benutzt',
  counts: (reads: number, writes: number) => `${times(reads)} gelesen, ${times(writes)} geschrieben`,
  refused: (n: number) => `${number(n)} abgewiesen`,
  history: 'Ansehen, was er tat',
  historyLabel: (name: string) => `Ansehen, was er tat: ${name}`,
  application: 'Was das ist',
  applicationLabel: (name: string) => `Was das ist: ${name}`,
  problems: {
    joining:
      'Der Vertragsdienst weiß noch nichts davon. Dein PDA sagt es ihm, bis er es weiß. Was du vereinbart hast, gilt schon.',
    leaving:
      'Dadurch kommt nichts mehr herein. Der Vertragsdienst weiß noch nichts davon; dein PDA sagt es ihm, bis er es weiß.',
    failed:
      'Der Vertragsdienst hat dein PDA nicht beitreten lassen. Dadurch kommt nichts herein. Um es noch einmal zu versuchen, tritt aus und richte ihn neu ein.',
    because: (problem: string) => `Beim letzten Versuch: ${problem}`,
  },
  leave: {
    action: 'Austreten',
    label: (name: string) => `Aus ${name} austreten`,
    title: (name: string) => `Aus ${name} austreten`,
    submit: 'Austreten',
    keep: 'Bleiben',
    points: {
      stops: (name: string) =>
        `Sofort kann ${name} hier nichts mehr lesen und schreiben, auch nicht mit dem, was es noch an Schlüsseln hat.`,
      serviceNotified: 'Der Vertragsdienst erfährt es und nimmt dein PDA von seiner Liste.',
      dataStays:
        'Was es hier geschrieben hat, bleibt hier und gehört dir. Was es vorher gelesen hat, behält es; unter Zugriffe steht, was das war.',
    },
    undo: 'Du kannst wieder beitreten, indem du die Anwendung einrichtest.',
    done: (name: string) => `Du bist aus ${name} ausgetreten`,
    doneText: 'Es kann hier nichts mehr lesen und schreiben.',
  },
  home: {
    failed: (name: string) => `Der Beitritt zu ${name} ging nicht`,
  },
} satisfies Localised<typeof en>;

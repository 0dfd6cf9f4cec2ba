import type { notes as english } from '../en/notes.ts';

export const notes: typeof english = {
  pageTitle: 'Notizen',
  add: 'Notiz hinzufügen',
  search: 'Notizen durchsuchen',
  noneFound: 'Keine Notiz passt dazu.',
  empty: {
    title: 'Keine Notizen',
    text: 'Eine Notiz ist ein Text mit Schlagwörtern. Sie wird mit deinen Daten gespeichert: Nur du kannst sie lesen, bis du es anderen erlaubst.',
  },
  actions: 'Aktionen für die Notiz',
  done: 'Erledigt',
  open: 'Offen',
  more: 'Mehr zeigen',
  loadingMore: 'Weitere Notizen werden geladen',
  form: {
    editTitle: 'Notiz bearbeiten',
    notFound: 'Notiz nicht gefunden',
    notFoundText: 'Sie wurde gelöscht, oder die Adresse ist unvollständig.',
    text: 'Text',
    textHint: 'Markdown: **fett**, *kursiv*, - Liste, # Überschrift, [Link](https://…)',
    tags: 'Schlagwörter (optional)',
    tagsHint: 'Drücke nach jedem Schlagwort Enter.',
    saved: 'Notiz gespeichert',
    keys: 'Strg + Enter speichert',
  },
};

/** The owner's notes. */
export const notes = {
  pageTitle: 'Notes',
  add: 'Add note',
  search: 'Search notes',
  clearSearch: 'Clear search',
  noneFound: 'No note matches.',
  empty: {
    title: 'No notes',
    text: 'A note is text with tags. It is stored with your data: only you can read it until you allow others.',
  },
  actions: 'Actions for the note',
  edit: 'Edit',
  remove: 'Delete',
  /** States of a task in a list. */
  done: 'Done',
  open: 'Not done',
  more: 'Show more',
  loadingMore: 'Loading more notes',
  form: {
    addTitle: 'Add note',
    editTitle: 'Edit note',
    notFound: 'Note not found',
    notFoundText: 'It was deleted, or the address is incomplete.',
    text: 'Text',
    textHint: 'Markdown: **bold**, *italic*, - list, # heading, [link](https://…)',
    tags: 'Tags (optional)',
    tagsHint: 'Press Enter after each tag.',
    save: 'Save',
    saved: 'Note saved',
    keys: 'Ctrl + Enter saves',
  },
};

import { count } from '../../../shared/format/format.ts';

const files = (n: number) => count(n, 'file', 'files');

export const collections = {
  label: 'Collections',
  all: 'All files',
  actions: (name: string) => `Actions for ${name}`,
  name: 'Name',
  empty: {
    title: 'No files in this collection',
    text: 'Select files and choose Add to collection.',
  },
  add: {
    action: 'Add to collection',
    done: (n: number, name: string) => `${files(n)} added to ${name}`,
  },
  remove: {
    action: 'Remove from collection',
    done: (n: number, name: string) => `${files(n)} removed from ${name}`,
  },
  create: {
    action: 'New collection',
    submit: 'Create collection',
  },
  rename: {
    title: (name: string) => `Rename ${name}`,
    done: (name: string) => `Renamed to ${name}`,
  },
  delete: {
    title: (name: string) => `Delete the collection ${name}?`,
    text: 'Its files are not deleted. People and links with access to the collection lose that access immediately. This cannot be undone.',
    submit: 'Delete collection',
    done: (name: string) => `Collection ${name} deleted`,
  },
};

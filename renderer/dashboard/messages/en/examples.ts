import { count } from '../../../shared/format/format.ts';

/** Example data: the offer to add it, and the notice while it exists. */
export const examples = {
  offer: 'Try with example data',
  offerText:
    'Six weeks of invented steps, appointments and payments, two files, and a request for some of this data. You can remove all of it with one click.',
  adding: 'Adding example data',
  noticeTitle: 'Your PDA contains example data',
  noticeText: (records: number, sources: number, files: number) =>
    `${count(records, 'record', 'records')} from ${count(sources, 'source', 'sources')} and ${count(files, 'file', 'files')}, all marked as examples. The request does not come from a real organisation, and nothing leaves this computer.`,
  request: 'View request',
  remove: 'Remove example data',
  confirm: {
    title: 'Remove the example data?',
    text: 'This permanently deletes the sources that begin with example-, their files, the request and your decision about it. Everything else stays as it is.',
    submit: 'Remove all example data',
    done: 'All example data has been removed.',
  },
} as const;

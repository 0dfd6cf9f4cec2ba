import { count } from '../../../shared/format/format.ts';

/** The example data: where it is offered, and while it is here. */
export const examples = {
  offer: 'Look around with example data',
  offerText:
    'Six weeks of steps, appointments and payments that nobody made, two files, and somebody who asks for some of it. One button takes all of it away again.',
  putting: 'Putting it here',
  here: 'Example data is here',
  hereText: (records: number, sources: number, files: number) =>
    `${count(records, 'record', 'records')} from ${count(sources, 'source', 'sources')} and ${count(files, 'file', 'files')}, all marked as examples. Nobody is behind the request, and nothing leaves this computer.`,
  request: 'See who asks',
  take: 'Take it away',
  confirm: {
    title: 'Take the example data away?',
    text: 'All of it goes for good: the sources that begin with example-, their files, the request and what you decided about it. Everything else stays as it is.',
    keep: 'Keep it',
    submit: 'Take all of it away',
    done: 'The example data is gone. Nothing of it is left.',
  },
} as const;

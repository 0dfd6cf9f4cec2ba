import { count, number } from '../../../shared/format/format.ts';
import { list } from '../../../shared/messages/en/consent.ts';

const times = (n: number) => (n === 1 ? 'once' : n === 2 ? 'twice' : count(n, 'time', 'times'));

/** Contracts by which services of others read and write here. */
export const contracts = {
  tabs: { label: 'Parts of Sharing', sharing: 'Consents', contracts: 'Contracts' },
  pageTitle: 'Contracts joined',
  lead: 'A service can work with the data of many people by one contract. You join by setting up its application, and then it may do what stands here, without asking each time, until you leave.',
  empty: {
    title: 'No contracts',
    text: 'When you set up an application of the kind “Contract”, a service may read or write certain parts of your data together with those of other people. What it may do and what it did is listed here.',
    go: 'Open Applications',
  },
  by: (developer: string) => `by ${developer}`,
  reads: (names: readonly string[]) => `Reads everything in ${list(names)}, also what comes later`,
  writes: (names: readonly string[]) => `Stores and changes in ${list(names)}`,
  nothing: 'May not read or write anything now',
  states: {
    joined: 'Joined',
    joining: 'Joining',
    leaving: 'Left',
    failed: 'Not joined',
  },
  since: 'Joined',
  lastUsed: 'Last used',
  neverUsed: 'Never used',
  counts: (reads: number, writes: number) => `read ${times(reads)}, wrote ${times(writes)}`,
  refused: (n: number) => `${number(n)} refused`,
  history: 'See what it did',
  historyLabel: (name: string) => `See what it did: ${name}`,
  application: 'What it is',
  applicationLabel: (name: string) => `What it is: ${name}`,
  problems: {
    joining:
      'The contracts service has not heard of it yet. Your PDA tells it until it knows. What you agreed to holds already.',
    leaving:
      'Nothing gets in by it any more. The contracts service has not heard of that yet; your PDA tells it until it knows.',
    failed:
      'The contracts service refused your PDA. The contract gives no access. To try again, leave the contract and set it up again.',
    because: (problem: string) => `At the last try: ${problem}`,
  },
  leave: {
    action: 'Leave',
    label: (name: string) => `Leave ${name}`,
    title: (name: string) => `Leave ${name}`,
    submit: 'Leave it',
    keep: 'Stay',
    points: {
      stops: (name: string) =>
        `At once ${name} can read and write nothing here, also with what it still holds to get in.`,
      told: 'The contracts service is notified and removes your PDA from its list.',
      kept: 'What it wrote here stays here and is yours. What it read before it keeps; the access history shows what that was.',
    },
    undo: 'You can join again by setting up its application.',
    done: (name: string) => `You left ${name}`,
    doneText: 'It can read and write nothing here any more.',
  },
  home: {
    failed: (name: string) => `${name} could not be joined`,
  },
} as const;

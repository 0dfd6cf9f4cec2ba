import { count, number } from '../../../shared/format/format.ts';
import { list } from '../../../shared/messages/en/consent.ts';

const times = (n: number) => (n === 1 ? 'once' : n === 2 ? 'twice' : count(n, 'time', 'times'));

/** Texts about contracts, which let other services read and write data of the PDA. */
export const contracts = {
  tabs: { label: 'Sharing', sharing: 'Consents', contracts: 'Contracts' },
  pageTitle: 'Joined contracts',
  lead: 'With one contract, a service can work with the data of many people. You join by setting up its application. The service then has the rights listed here, without asking each time, until you leave.',
  empty: {
    title: 'No contracts',
    text: 'When you set up an application of the kind “Contract”, a service may read or write certain parts of your data together with those of other people. Its rights and its activity are listed here.',
    go: 'Open Applications',
  },
  reads: (names: readonly string[]) => `Reads everything in ${list(names)}, including future records`,
  writes: (names: readonly string[]) => `Stores and changes records in ${list(names)}`,
  nothing: 'Cannot read or write anything now',
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
  history: 'View activity',
  historyLabel: (name: string) => `View activity: ${name}`,
  application: 'About',
  applicationLabel: (name: string) => `About: ${name}`,
  problems: {
    joining:
      'The contracts service has not been notified yet. Your PDA keeps retrying. Your consent is already in effect.',
    leaving:
      'The contract no longer gives access. The contracts service has not been notified yet; your PDA keeps retrying.',
    failed:
      'The contracts service refused your PDA. The contract gives no access. To try again, leave the contract and set the application up again.',
    because: (problem: string) => `Last error: ${problem}`,
  },
  leave: {
    action: 'Leave',
    title: (name: string) => `Leave ${name}`,
    submit: 'Leave contract',
    keep: 'Stay',
    points: {
      stops: (name: string) => `${name} immediately loses access to this PDA, even with tokens that it still has.`,
      serviceNotified: 'The contracts service is notified and removes your PDA from its list.',
      dataStays:
        'What it stored here stays and is yours. It keeps what it has read. The access history lists what that was.',
    },
    undo: 'You can join again by setting up its application.',
    done: (name: string) => `You left ${name}`,
    doneText: 'It can no longer read or write here.',
  },
  home: {
    failed: (name: string) => `${name} could not be joined`,
  },
} as const;

import { lt } from 'semver';
import { isoTime } from '../../../../platform/clock.ts';
import type { Application, ApplicationItem } from '../../../../wire/applications.ts';
import type { NamedBundle } from '../../../../wire/query.ts';
import type { DebitService } from '../../debits/service.ts';
import { asksForMore, checkedAs } from './version-comparison.ts';
import { dataOf, debitKeyOf } from '../rules.ts';
import type { Outcome, StatusChecks } from './service-checks.ts';
import type { ApplicationStore, Approval } from '../store.ts';

/** An application as it is known here: as published, or, when it is published no more, as it was approved. */
export type Known = { application: Application; approval: Approval | undefined };

/** Where an application stands: set up, enabled, active, and whether it wants the owner's approval again. */
export type Standing = {
  /** @param wait false: takes what is known of its service, and looks again behind the caller's back */
  itemOf(known: Known, wait?: boolean): Promise<ApplicationItem>;
  /** Whether the data that was approved is shared; also when there is none to share. */
  dataRuns(approval: Approval): boolean;
  /** What was approved to leave: less than was asked for, when the owner gave less. */
  sharedData(approval: Approval): NamedBundle | null;
  /** Of the last check of its service, if there was one. */
  lastOutcome(known: Known): Outcome | undefined;
};

export type StandingParts = {
  store: ApplicationStore;
  debits: Pick<DebitService, 'isRunning' | 'find'>;
  checks: StatusChecks;
  /** Unix milliseconds of the newest record of an endpoint; null when there is none. */
  newestAt: (endpoint: string) => number | null;
  /** Where the list is from that an application is known by. */
  originOf: (id: string) => string;
};

const dependenciesOf = ({ dependencies }: Application): string[] => [
  ...(dependencies?.plugs ?? []),
  ...(dependencies?.tools ?? []),
  ...(dependencies?.contracts ?? []),
];

export const createStanding = (parts: StandingParts): Standing => {
  const { store, debits, checks } = parts;

  /** Whether a published version asks for more than an approval gave: both stay the same objects for long. */
  const comparisons = new WeakMap<Approval, { published: Application; more: boolean }>();
  const wantsMore = (published: Application, approval: Approval): boolean => {
    let known = comparisons.get(approval);
    if (known?.published !== published) {
      known = { published, more: asksForMore(published, approval.definition) };
      comparisons.set(approval, known);
    }
    return known.more;
  };

  const dataRuns = ({ id, definition }: Approval): boolean => {
    const data = dataOf(definition);
    return data === null || debits.isRunning(debitKeyOf(id), data.name);
  };

  const mostRecentOf = ({ status }: Application): number | null => {
    const endpoint = (status.recentDataCheckEndpoint ?? '').replace(/^\/+/u, '');
    return endpoint === '' ? null : parts.newestAt(endpoint);
  };

  const answersAsExpected = async (application: Application, wait: boolean): Promise<boolean> => {
    if (application.status.kind === 'Internal') return true;
    const outcome = checks.outcome(application);
    return (wait ? await outcome : checks.last(application))?.ok === true;
  };

  const isActive = async (application: Application, approval: Approval, wait: boolean): Promise<boolean> => {
    if (lt(approval.version, application.status.compatibility)) return false;
    const answers = await answersAsExpected(checkedAs(application, approval.definition), wait);
    // Looked at last: it may have been disabled, or its data stopped, while its service was asked.
    return answers && dataRuns(approval) && store.find(approval.id)?.enabled === true;
  };

  return {
    async itemOf({ application, approval }, wait = true) {
      const needed = dependenciesOf(application);
      const newest = mostRecentOf(application);
      const common = {
        application,
        ...(needed.length === 0 ? {} : { dependenciesEnabled: needed.every((id) => store.find(id)?.enabled === true) }),
        ...(newest === null ? {} : { mostRecentData: isoTime(newest) }),
      };
      if (approval?.enabled !== true) {
        return { ...common, setup: approval !== undefined, enabled: false, active: false };
      }
      // Who runs a Data Plug is for its exchange to say: the same name in another list is another plug, until the owner has agreed to that one.
      const isAnother = application.kind.kind === 'Data Plug' && parts.originOf(application.id) !== approval.origin;
      const outdated = lt(approval.version, application.status.compatibility);
      return {
        ...common,
        setup: true,
        enabled: true,
        active: await isActive(application, approval, wait),
        needsUpdating: outdated || isAnother || wantsMore(application, approval),
      };
    },

    dataRuns,

    sharedData(approval) {
      const data = dataOf(approval.definition);
      if (data === null || !dataRuns(approval)) return data;
      const asOwner = { kind: 'owner', userId: '', sessionId: '' } as const;
      return debits.find(debitKeyOf(approval.id), asOwner).permissionsActive?.bundle ?? data;
    },

    lastOutcome: ({ application, approval }) =>
      approval?.enabled === true ? checks.last(checkedAs(application, approval.definition)) : undefined,
  };
};

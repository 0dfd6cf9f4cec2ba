import { lt } from 'semver';
import { isoTime } from '../../../../platform/clock.ts';
import type { Application, ApplicationItem } from '../../../../wire/applications.ts';
import type { NamedBundle } from '../../../../wire/query.ts';
import type { DebitService } from '../../debits/service.ts';
import { requestsMoreThan, statusDefinitionOf } from './version-comparison.ts';
import { dataOf, debitKeyOf } from '../rules.ts';
import type { StatusCheckOutcome, StatusChecks } from './service-checks.ts';
import type { ApplicationStore, Approval } from '../store.ts';

/** `application` is the published definition or, if the application is unpublished, the approved definition. */
export type KnownApplication = { application: Application; approval: Approval | undefined };

export type ApplicationStatus = {
  /**
   * @param wait whether to wait for a status check. If false, returns the last outcome and refreshes it in the
   * background
   */
  itemOf(entry: KnownApplication, wait?: boolean): Promise<ApplicationItem>;
  /** Returns true if the approved data is shared or no data was requested. */
  isDataShared(approval: Approval): boolean;
  /** Applies the owner's narrowing. */
  sharedData(approval: Approval): NamedBundle | null;
  /** Returns undefined before the first status check. */
  lastOutcome(entry: KnownApplication): StatusCheckOutcome | undefined;
};

export type ApplicationStatusParts = {
  store: ApplicationStore;
  debits: Pick<DebitService, 'isRunning' | 'find'>;
  checks: StatusChecks;
  /** Returns the time of an endpoint's newest record in Unix milliseconds; null if there is none. */
  newestAt: (endpoint: string) => number | null;
  /** Returns the URL of an exchange, or an empty string for config.json. */
  originOf: (id: string) => string;
};

const dependenciesOf = ({ dependencies }: Application): string[] => [
  ...(dependencies?.plugs ?? []),
  ...(dependencies?.tools ?? []),
  ...(dependencies?.contracts ?? []),
];

export const createApplicationStatus = (parts: ApplicationStatusParts): ApplicationStatus => {
  const { store, debits, checks } = parts;

  const comparisons = new WeakMap<Approval, { published: Application; needsApproval: boolean }>();
  const requestsMore = (published: Application, approval: Approval): boolean => {
    let comparison = comparisons.get(approval);
    if (comparison?.published !== published) {
      comparison = { published, needsApproval: requestsMoreThan(published, approval.definition) };
      comparisons.set(approval, comparison);
    }
    return comparison.needsApproval;
  };

  const isDataShared = ({ id, definition }: Approval): boolean => {
    const data = dataOf(definition);
    return data === null || debits.isRunning(debitKeyOf(id), data.name);
  };

  const newestRecordTimeOf = ({ status }: Application): number | null => {
    const endpoint = (status.recentDataCheckEndpoint ?? '').replace(/^\/+/u, '');
    return endpoint === '' ? null : parts.newestAt(endpoint);
  };

  const isServiceOk = async (application: Application, wait: boolean): Promise<boolean> => {
    if (application.status.kind === 'Internal') return true;
    const outcome = checks.outcome(application);
    return (wait ? await outcome : checks.last(application))?.ok === true;
  };

  const isActive = async (application: Application, approval: Approval, wait: boolean): Promise<boolean> => {
    if (lt(approval.version, application.status.compatibility)) return false;
    const isOk = await isServiceOk(statusDefinitionOf(application, approval.definition), wait);
    // Checked last, because the owner may have disabled the application or stopped its data during the status check.
    return isOk && isDataShared(approval) && store.find(approval.id)?.enabled === true;
  };

  return {
    async itemOf({ application, approval }, wait = true) {
      const dependencies = dependenciesOf(application);
      const newest = newestRecordTimeOf(application);
      const common = {
        application,
        ...(dependencies.length === 0
          ? {}
          : { dependenciesEnabled: dependencies.every((id) => store.find(id)?.enabled === true) }),
        ...(newest === null ? {} : { mostRecentData: isoTime(newest) }),
      };
      if (approval?.enabled !== true) {
        return { ...common, setup: approval !== undefined, enabled: false, active: false };
      }
      // The exchange vouches for a Data Plug's provider, so the same id in another catalogue is a different plug and
      // needs a separate approval.
      const isFromOtherCatalogue =
        application.kind.kind === 'Data Plug' && parts.originOf(application.id) !== approval.origin;
      const isOutdated = lt(approval.version, application.status.compatibility);
      return {
        ...common,
        setup: true,
        enabled: true,
        active: await isActive(application, approval, wait),
        needsUpdating: isOutdated || isFromOtherCatalogue || requestsMore(application, approval),
      };
    },

    isDataShared,

    sharedData(approval) {
      const data = dataOf(approval.definition);
      if (data === null || !isDataShared(approval)) return data;
      const ownerPrincipal = { kind: 'owner', userId: '', sessionId: '' } as const;
      return debits.find(debitKeyOf(approval.id), ownerPrincipal).permissionsActive?.bundle ?? data;
    },

    lastOutcome: ({ application, approval }) =>
      approval?.enabled === true ? checks.last(statusDefinitionOf(application, approval.definition)) : undefined,
  };
};

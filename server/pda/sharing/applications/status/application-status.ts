import { lt } from 'semver';
import { isoTime } from '../../../../platform/clock.ts';
import { findCurrentPermission } from '../../../../wire/current-permission.ts';
import type { Application, ApplicationItem } from '../../../../wire/applications.ts';
import type { NamedBundle } from '../../../../wire/query.ts';
import type { DebitService } from '../../debits/service.ts';
import { requestsMoreThan, statusDefinitionOf } from './version-comparison.ts';
import { dataOf, debitKeyOf } from '../rules.ts';
import type { StatusCheckOutcome, StatusChecks } from './service-checks.ts';
import type { ApplicationStore, Approval } from '../store.ts';

export type KnownApplication = {
  /** Published definition, or the approved definition if the application is no longer published. */
  application: Application;
  approval: Approval | undefined;
};

const dependenciesOf = ({ dependencies }: Application): string[] => [
  ...(dependencies?.plugs ?? []),
  ...(dependencies?.tools ?? []),
  ...(dependencies?.contracts ?? []),
];

export const createApplicationStatus = (parts: {
  store: ApplicationStore;
  debits: Pick<DebitService, 'isRunning' | 'isGranted' | 'find'>;
  checks: StatusChecks;
  /** Returns the creation time of the newest record in Unix milliseconds; null if there is none. */
  newestAt: (endpoint: string) => number | null;
  originOf: (id: string) => string;
}) => {
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

  /** Also true if no data was requested. */
  const isDataShared = ({ id, definition }: Approval): boolean => {
    const data = dataOf(definition);
    return data === null || debits.isRunning(debitKeyOf(id), data.name);
  };

  /** Also true if no data was requested, or if the Data Debit begins later. */
  const isDataGranted = ({ id, definition }: Approval): boolean => {
    const data = dataOf(definition);
    return data === null || debits.isGranted(debitKeyOf(id), data.name);
  };

  const newestRecordTimeOf = ({ status }: Application): number | null => {
    const endpoint = (status.recentDataCheckEndpoint ?? '').replace(/^\/+/u, '');
    return endpoint === '' ? null : parts.newestAt(endpoint);
  };

  const isServiceOk = async (application: Application, shouldWait: boolean): Promise<boolean> => {
    if (application.status.kind === 'Internal') return true;
    const outcome = checks.outcome(application);
    return (shouldWait ? await outcome : checks.lastOutcome(application))?.ok === true;
  };

  const isActive = async (application: Application, approval: Approval, shouldWait: boolean): Promise<boolean> => {
    if (lt(approval.version, application.status.compatibility)) return false;
    const isOk = await isServiceOk(statusDefinitionOf(application, approval.definition), shouldWait);
    // Checked last, because the owner may have disabled the application or its Data Debit during the status check.
    return isOk && isDataShared(approval) && store.find(approval.id)?.enabled === true;
  };

  return {
    /** @param shouldWait if false, uses the last outcome and starts a check in the background */
    async itemOf({ application, approval }: KnownApplication, shouldWait = true): Promise<ApplicationItem> {
      const dependencies = dependenciesOf(application);
      const newestRecordTime = newestRecordTimeOf(application);
      const common = {
        application,
        ...(dependencies.length === 0
          ? {}
          : { dependenciesEnabled: dependencies.every((id) => store.find(id)?.enabled === true) }),
        ...(newestRecordTime === null ? {} : { mostRecentData: isoTime(newestRecordTime) }),
      };
      if (approval?.enabled !== true) {
        return { ...common, setup: approval !== undefined, enabled: false, active: false };
      }
      // The exchange vouches for a Data Plug's developer, so the same id in another catalogue is a different plug and
      // needs a separate approval.
      const isFromOtherCatalogue =
        application.kind.kind === 'Data Plug' && parts.originOf(application.id) !== approval.origin;
      const isOutdated = lt(approval.version, application.status.compatibility);
      return {
        ...common,
        setup: true,
        enabled: true,
        active: await isActive(application, approval, shouldWait),
        needsUpdating: isOutdated || isFromOtherCatalogue || requestsMore(application, approval),
      };
    },

    isDataGranted,

    /**
     * Returns the approved data; null if no data was requested. While the Data Debit of the application runs or is
     * scheduled, returns the data of its current permission, narrowed as the owner chose.
     */
    sharedData(approval: Approval): NamedBundle | null {
      const data = dataOf(approval.definition);
      if (data === null || !isDataGranted(approval)) return data;
      const ownerPrincipal = { kind: 'owner', userId: '', sessionId: '' } as const;
      const { permissions } = debits.find(debitKeyOf(approval.id), ownerPrincipal);
      return findCurrentPermission(permissions)?.bundle ?? data;
    },

    /** Returns undefined unless the application is enabled and was checked after its set-up and the last restart. */
    lastOutcome: ({ application, approval }: KnownApplication): StatusCheckOutcome | undefined =>
      approval?.enabled === true ? checks.lastOutcome(statusDefinitionOf(application, approval.definition)) : undefined,
  };
};

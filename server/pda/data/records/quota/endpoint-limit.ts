import { Failure } from '../../../../platform/failure.ts';
import { MAX_ENDPOINTS, MAX_NAMESPACE_ENDPOINTS } from '../../../../wire/work-limits.ts';
import type { EndpointStore, Origin } from '../../../core/endpoint-store.ts';
import { namespaceOf } from '../rules.ts';
import { isOwnerKind } from './record-quota.ts';

/** Limits on the number of endpoints, which lists and the feed go through one by one. */
export type EndpointLimits = {
  /** Endpoints of all namespaces. */
  total: number;
  perNamespace: number;
};

/** Returns the limits of config.json or their defaults. */
export const endpointLimitsOf = (config: {
  limits?: { endpoints?: number | undefined; namespaceEndpoints?: number | undefined } | undefined;
}): EndpointLimits => ({
  total: config.limits?.endpoints ?? MAX_ENDPOINTS,
  perNamespace: config.limits?.namespaceEndpoints ?? MAX_NAMESPACE_ENDPOINTS,
});

const tooManyEndpoints = (where: string, limit: number, key: string): Failure =>
  new Failure(
    'out_of_disk',
    `There are already ${limit} endpoints ${where}, and no further one can be created. ` +
      `The owner can delete some of them, or raise limits.${key} in config.json. Nothing was stored.`,
  );

/**
 * Returns a check that a transaction makes before it stores records at an endpoint. The owner is never refused.
 * Endpoints are counted once per transaction, because a request can create thousands of them.
 */
export const createEndpointCheck = (
  endpoints: Pick<EndpointStore, 'find' | 'count'>,
  limits: EndpointLimits,
  by: Origin,
): ((path: string) => void) => {
  let total: number | undefined;
  const byNamespace = new Map<string, number>();

  /** @throws Failure out_of_disk if the endpoint is new and there are too many */
  return (path) => {
    if (isOwnerKind(by.kind) || endpoints.find(path) !== undefined) return;
    const namespace = namespaceOf(path);
    const inNamespace = byNamespace.get(namespace) ?? endpoints.count(namespace);
    total ??= endpoints.count();
    if (inNamespace >= limits.perNamespace)
      throw tooManyEndpoints(`in the namespace ${namespace}`, inNamespace, 'namespaceEndpoints');
    if (total >= limits.total) throw tooManyEndpoints('in this account', total, 'endpoints');
    byNamespace.set(namespace, inNamespace + 1);
    total += 1;
  };
};

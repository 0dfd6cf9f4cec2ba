import { queryOptions } from '@tanstack/react-query';
import type { Exposure, ExposureChange, ExposureState } from '../../../../server/wire/exposure.ts';
import { call } from '../../../shared/api/client.ts';
import { owner } from '../queries.ts';
import { queryClient } from '../../../shared/api/query-client.ts';

// The public address. The query key equals the topic of the PDA's change events.

export type {
  CertificateState,
  Exposure,
  ExposureChange,
  ExposureState,
  PdaCertificate,
  Probe,
  ExposureWay,
} from '../../../../server/wire/exposure.ts';

const POLL_INTERVAL_MS = 2000;
const TRANSIENT_STATES: ReadonlySet<ExposureState> = new Set(['connecting', 'certificate', 'unproven']);

export const exposure = queryOptions({
  queryKey: ['exposure'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/exposure', {}, signal),
  // Contains the numbers of share links, sessions and other items, whose changes have other topics.
  staleTime: 0,
  refetchInterval: (query) =>
    query.state.data !== undefined && TRANSIENT_STATES.has(query.state.data.state) ? POLL_INTERVAL_MS : false,
});

/** Refetches the owner too, whose `publicUrl` may have changed. */
async function cacheExposure(state: Exposure): Promise<Exposure> {
  queryClient.setQueryData(exposure.queryKey, state);
  await queryClient.invalidateQueries({ queryKey: owner.queryKey });
  return state;
}

export async function changeExposure(body: ExposureChange): Promise<Exposure> {
  return cacheExposure(await call('PUT /api/v2.6/owner/exposure', { body }));
}

/** Closes all remote connections. If there is a public address, resolves after a probe of it. */
export async function goDark(): Promise<Exposure> {
  return cacheExposure(await call('POST /api/v2.6/owner/go-dark', {}));
}

export async function reopenAddress(): Promise<Exposure> {
  return cacheExposure(await call('POST /api/v2.6/owner/go-light', {}));
}

export async function probeExposure(): Promise<Exposure> {
  return cacheExposure(await call('POST /api/v2.6/owner/exposure/probe', {}));
}

/** Returns true if the certificate is not valid now, is not trusted, or could not be obtained. */
export const hasBadCertificate = ({ certificate }: Exposure): boolean =>
  certificate !== null && ['expired', 'notYet', 'untrusted', 'failed'].includes(certificate.state);

import { queryOptions } from '@tanstack/react-query';
import type { Exposure, ExposureChange, ExposureState } from '../../server/wire/exposure.ts';
import { call } from './client.ts';
import { owner, queryClient } from './queries.ts';

/** What can be reached from outside, and by which address. The key is the topic by which the PDA tells of changes. */

export type {
  CertificateState,
  Exposure,
  ExposureChange,
  ExposureState,
  PdaCertificate,
  Probe,
  WayOut,
} from '../../server/wire/exposure.ts';

/** Milliseconds. On the way to being reachable the next state is seconds away. */
const LOOK_EVERY = 2000;
const MOVING: ReadonlySet<ExposureState> = new Set(['connecting', 'certificate', 'unproven']);

export const exposure = queryOptions({
  queryKey: ['exposure'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/exposure', {}, signal),
  refetchInterval: (query) =>
    query.state.data !== undefined && MOVING.has(query.state.data.state) ? LOOK_EVERY : false,
});

/** The address of the PDA is on other pages too. */
async function take(now: Exposure): Promise<Exposure> {
  queryClient.setQueryData(exposure.queryKey, now);
  await queryClient.invalidateQueries({ queryKey: owner.queryKey });
  return now;
}

export async function changeWay(body: ExposureChange): Promise<Exposure> {
  return take(await call('PUT /api/v2.6/owner/exposure', { body }));
}

/** Answered when every connection from outside is closed and a try from outside has failed. */
export async function goDark(): Promise<Exposure> {
  return take(await call('POST /api/v2.6/owner/go-dark', {}));
}

export async function goLight(): Promise<Exposure> {
  return take(await call('POST /api/v2.6/owner/go-light', {}));
}

export async function tryFromOutside(): Promise<Exposure> {
  return take(await call('POST /api/v2.6/owner/exposure/probe', {}));
}

/** A certificate that lets nobody in, or soon will not. */
export const hasBadCertificate = ({ certificate }: Exposure): boolean =>
  certificate !== null && ['expired', 'notYet', 'untrusted', 'failed'].includes(certificate.state);

import type { DesktopRequest, DesktopStatus } from '../../server/wire/desktop.ts';
import { exposureStateSchema } from '../../server/wire/exposure.ts';

export const EXPOSURE_STATES = exposureStateSchema.options;

export const aStatus = (changes: Partial<DesktopStatus> = {}): DesktopStatus => ({
  type: 'status',
  requests: [],
  requestsWaiting: 0,
  renewals: [],
  summary: null,
  exposure: { state: 'off', address: null, readableBy: null },
  functionsPaused: false,
  backup: 'none',
  ...changes,
});

/** Returns a waiting request that can be approved in its notification. */
export const aRequest = (key: string, changes: Partial<DesktopRequest> = {}): DesktopRequest => ({
  key,
  permissionId: `p-${key}`,
  requester: `The ${key}`,
  title: `“The ${key}” asks for data`,
  body: 'name of calendar/events, until 14 February 2026. For: Lunch.',
  fingerprint: 'A'.repeat(43),
  ...changes,
});

/** @param requests waiting requests, newest first */
export const statusWith = (...requests: DesktopRequest[]): DesktopStatus =>
  aStatus({ requests, requestsWaiting: requests.length });

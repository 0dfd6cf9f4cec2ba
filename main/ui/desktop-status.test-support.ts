import type { DesktopRequest, DesktopStatus } from '../../server/wire/desktop.ts';
import { exposureStateSchema } from '../../server/wire/exposure.ts';

export const EXPOSURE_STATES = exposureStateSchema.options;

/** How things stand while nothing is going on. */
export const aStand = (changes: Partial<DesktopStatus> = {}): DesktopStatus => ({
  type: 'stand',
  requests: [],
  requestsWaiting: 0,
  renewals: [],
  exposure: { state: 'off', address: null, readableBy: null },
  functionsPaused: false,
  backup: 'none',
  ...changes,
});

export const aRequest = (key: string, changes: Partial<DesktopRequest> = {}): DesktopRequest => ({
  key,
  permissionId: `p-${key}`,
  asker: `The ${key}`,
  title: `“The ${key}” asks for data`,
  body: 'name of calendar/events, until 14 February 2026. For: Lunch.',
  fingerprint: 'A'.repeat(43),
  ...changes,
});

/** With these waiting, the newest first. */
export const standWith = (...requests: DesktopRequest[]): DesktopStatus =>
  aStand({ requests, requestsWaiting: requests.length });

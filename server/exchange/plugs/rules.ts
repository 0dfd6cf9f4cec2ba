import { applicationSchema, type Application } from '../../wire/applications.ts';
import type { DataPlug } from '../../wire/data-plugs.ts';

/** Whose eyes a plug is looked at with. */
export type Viewer = { kind: 'administrator' } | { kind: 'account'; accountId: string } | { kind: 'pda' };

type Standing = { owner: string; approved: boolean; connected: boolean };

/** Accounts get all, with `approved`. To owners of PDAs nothing is shown but what runs and what the operator has approved. */
export const maySee = (plug: Standing, viewer: Viewer): boolean =>
  viewer.kind !== 'pda' || (plug.approved && plug.connected);

/** The hash is what PDAs check the plug's password by; nobody else has a use for it. */
export const maySeeHash = (plug: Standing, viewer: Viewer): boolean =>
  viewer.kind !== 'account' || plug.owner === viewer.accountId;

/** What an owner may change of its plug; the rest is the operator's. */
export const OWNER_CHANGES: readonly string[] = ['passwordHash', 'url', 'illustrationUrl'];

/**
 * The application of kind Data Plug by which owners of PDAs set a plug up: it may write its namespace and nothing else. Each change is a version of its own, and all of
 * them ask for the same.
 */
export const applicationOf = (
  plug: Pick<DataPlug, 'applicationId' | 'name' | 'description' | 'url' | 'illustrationUrl' | 'providerId'> & {
    namespace: string;
    edition: number;
    ownerName: string;
    isPublic: boolean;
  },
): Application =>
  applicationSchema.parse({
    id: plug.applicationId,
    kind: { kind: 'Data Plug', url: plug.url },
    info: {
      version: `1.0.${plug.edition}`,
      published: plug.isPublic,
      name: plug.name,
      headline: headlineOf(plug.description),
      description: { text: plug.description },
      graphics: { logo: { normal: plug.illustrationUrl } },
    },
    developer: { id: plug.providerId, name: plug.ownerName },
    permissions: { rolesGranted: [{ role: 'namespacewrite', detail: plug.namespace }] },
    setup: { kind: 'Internal' },
    status: { kind: 'Internal', compatibility: '1.0.0' },
  });

const MAX_HEADLINE_CHARS = 200;
/** The first line of a description. */
const headlineOf = (description: string): string => {
  const line = description.split('\n', 1)[0] ?? '';
  return line.length <= MAX_HEADLINE_CHARS ? line : `${line.slice(0, MAX_HEADLINE_CHARS - 1).toWellFormed()}…`;
};

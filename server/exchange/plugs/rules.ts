import { applicationSchema, type Application } from '../../wire/applications.ts';
import type { DataPlug } from '../../wire/data-plugs.ts';

export type PlugViewer = { kind: 'administrator' } | { kind: 'account'; accountId: string } | { kind: 'pda' };

type PlugState = { owner: string; approved: boolean; connected: boolean };

export const maySeePlug = (plug: PlugState, viewer: PlugViewer): boolean =>
  viewer.kind !== 'pda' || (plug.approved && plug.connected);

/** Administrators, the plug's owner and PDAs see the password hash. PDAs verify passwords with it. */
export const maySeeHash = (plug: PlugState, viewer: PlugViewer): boolean =>
  viewer.kind !== 'account' || plug.owner === viewer.accountId;

/** Fields that a plug's owner may change. Only administrators may change the other fields. */
export const OWNER_FIELDS: readonly string[] = ['passwordHash', 'url', 'illustrationUrl'];

/**
 * Returns the application with which owners of PDAs set up a plug. Its only right is to write to the plug's namespace.
 * Each change to the plug creates a new version.
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
const headlineOf = (description: string): string => {
  const line = description.split('\n', 1)[0] ?? '';
  return line.length <= MAX_HEADLINE_CHARS ? line : `${line.slice(0, MAX_HEADLINE_CHARS - 1).toWellFormed()}…`;
};

import type { z } from 'zod';
import type { applicationSchema, UserRole } from '../../server/wire/applications.ts';
import { tokenResponseSchema } from '../../server/wire/owner.ts';
import type { TestPda } from './test-pda.ts';

export type ApplicationInput = z.input<typeof applicationSchema>;

type ApplicationOptions = {
  id?: string;
  version?: string;
  compatibility?: string;
  roles?: UserRole[];
  /** Endpoints of the requested bundle. The bundle is named `<id>-data` unless `bundleName` is set. */
  data?: string[] | undefined;
  bundleName?: string;
  url?: string;
  setup?: Partial<ApplicationInput['setup']>;
  status?: Partial<ApplicationInput['status']>;
  info?: Partial<ApplicationInput['info']>;
  dependencies?: ApplicationInput['dependencies'];
};

/** Builds an application as a developer would list it. */
export const anApplication = (options: ApplicationOptions = {}): ApplicationInput => {
  const { id = 'notes', version = '1.0.0', roles = [], data } = options;
  return {
    id,
    kind: { kind: 'App', url: options.url ?? `https://${id}.example.com/` },
    info: {
      version,
      published: true,
      name: `The ${id}`,
      headline: `All about ${id}`,
      description: { text: `Keeps your ${id}.` },
      graphics: { logo: { normal: `https://${id}.example.com/logo.png` } },
      termsUrl: `https://${id}.example.com/terms`,
      dataUsePurpose: `To show your ${id}.`,
      ...options.info,
    },
    permissions: {
      rolesGranted: roles,
      ...(data === undefined
        ? {}
        : {
            dataRetrieved: {
              name: options.bundleName ?? `${id}-data`,
              bundle: Object.fromEntries(
                data.map((endpoint) => [endpoint.replaceAll('/', '-'), { endpoints: [{ endpoint }] }]),
              ),
            },
          }),
    },
    setup: { kind: 'External', url: `https://${id}.example.com/callback`, ...options.setup },
    status: { kind: 'Internal', compatibility: options.compatibility ?? '1.0.0', ...options.status },
    ...(options.dependencies === undefined ? {} : { dependencies: options.dependencies }),
  };
};

/**
 * Sets up an application as the owner.
 * @returns an access token of the application
 * @throws {Error} if the set-up or the token is refused
 */
export const setUpApplication = async (pda: Pick<TestPda, 'call'>, id: string): Promise<string> => {
  const setUpReply = await pda.call('GET', `/api/v2.6/applications/${id}/setup`);
  if (setUpReply.status !== 200) throw new Error(`set-up: ${setUpReply.status} ${setUpReply.text}`);
  const reply = await pda.call('GET', `/api/v2.6/applications/${id}/access-token`);
  return tokenResponseSchema.parse(reply.json).accessToken;
};

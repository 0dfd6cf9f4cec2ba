import { applicationSchema, type Application } from '../../wire/applications.ts';

/** An application as a developer sends it. */
export const application = (
  id: string,
  change: { version?: string; name?: string; kind?: string; published?: boolean; more?: object } = {},
): Application =>
  applicationSchema.parse({
    id,
    kind: { kind: change.kind ?? 'App', url: `https://${id.toLowerCase()}.example.org` },
    info: {
      version: change.version ?? '1.0.0',
      published: change.published ?? false,
      name: change.name ?? `The ${id}`,
      headline: 'One sentence',
      description: { text: 'What it is' },
      graphics: { logo: { normal: 'https://example.org/logo.png' } },
    },
    permissions: { rolesGranted: [{ role: 'namespacewrite', detail: 'things' }] },
    setup: { kind: 'Internal' },
    status: { kind: 'Internal', compatibility: '1.0.0' },
    ...change.more,
  });

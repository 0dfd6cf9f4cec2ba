import { applicationSchema, type Application } from '../../wire/applications.ts';

export const buildApplication = (
  id: string,
  changes: { version?: string; name?: string; kind?: string; published?: boolean; fields?: object } = {},
): Application =>
  applicationSchema.parse({
    id,
    kind: { kind: changes.kind ?? 'App', url: `https://${id.toLowerCase()}.example.org` },
    info: {
      version: changes.version ?? '1.0.0',
      published: changes.published ?? false,
      name: changes.name ?? `The ${id}`,
      headline: 'One sentence',
      description: { text: 'What it is' },
      graphics: { logo: { normal: 'https://example.org/logo.png' } },
    },
    permissions: { rolesGranted: [{ role: 'namespacewrite', detail: 'things' }] },
    setup: { kind: 'Internal' },
    status: { kind: 'Internal', compatibility: '1.0.0' },
    ...changes.fields,
  });

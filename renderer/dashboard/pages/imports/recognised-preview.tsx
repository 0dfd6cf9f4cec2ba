import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../../shared/api/client.ts';
import type { FoundExport, ImportJob } from '../../../shared/api/contract.ts';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { m } from '../../../shared/messages/texts.ts';
import { FoundKinds } from './kind-counts.tsx';

const words = m.imports.found;

interface KnownPreviewProps {
  job: ImportJob;
  found: FoundExport;
  take: (job: ImportJob) => void;
  forget: () => void;
}

/** An export that was recognised: what is in it, and which of it is wanted. */
export function KnownPreview({ job, found, take, forget }: KnownPreviewProps) {
  const [unwanted, setUnwanted] = useState<ReadonlySet<string>>(new Set());
  const { busy, problem, run } = useSubmit();
  const kinds = found.kinds.map(({ endpoint }) => endpoint).filter((endpoint) => !unwanted.has(endpoint));
  const change = (endpoint: string, wanted: boolean) => {
    const next = new Set(unwanted);
    if (wanted) next.delete(endpoint);
    else next.add(endpoint);
    setUnwanted(next);
  };
  const startImport = () =>
    void run(async () =>
      take(
        await call('POST /api/v2.6/owner/imports/:importId/run', {
          params: { importId: job.importId },
          body: { format: 'known', kinds },
        }),
      ),
    );
  return (
    <>
      <FoundKinds found={found} unwanted={unwanted} change={change} />
      <SubmitError problem={problem} />
      <Group gap="sm" mt="lg">
        <Button onClick={startImport} loading={busy} disabled={kinds.length === 0}>
          {words.run}
        </Button>
        <Button variant="default" onClick={forget}>
          {m.imports.preview.discard}
        </Button>
      </Group>
    </>
  );
}

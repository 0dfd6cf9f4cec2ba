import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import type { FoundExport, ImportJob } from '../../api/contract.ts';
import { NotDone } from '../../components/states.tsx';
import { useAct } from '../../components/use-act.ts';
import { m } from '../../messages/texts.ts';
import { FoundKinds } from './found-kinds.tsx';

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
  const { busy, problem, act } = useAct();
  const kinds = found.kinds.map(({ endpoint }) => endpoint).filter((endpoint) => !unwanted.has(endpoint));
  const change = (endpoint: string, wanted: boolean) => {
    const next = new Set(unwanted);
    if (wanted) next.delete(endpoint);
    else next.add(endpoint);
    setUnwanted(next);
  };
  const run = () =>
    void act(async () =>
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
      <NotDone problem={problem} />
      <Group gap="sm" mt="lg">
        <Button onClick={run} loading={busy} disabled={kinds.length === 0}>
          {words.run}
        </Button>
        <Button variant="default" onClick={forget}>
          {m.imports.preview.discard}
        </Button>
      </Group>
    </>
  );
}

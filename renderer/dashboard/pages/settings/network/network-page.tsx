import { useQuery } from '@tanstack/react-query';
import { network } from '../../../api/sharing/network.ts';
import { Callout } from '../../../../shared/components/callout.tsx';
import { Page } from '../../../components/page.tsx';
import { LoadError, LoadingSkeleton } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { ContractsService } from './contracts-section.tsx';
import { Exchange } from './exchange-section.tsx';
import { ExchangeRecord } from './exchange-record.tsx';
import { ReportsSection } from './reports-section.tsx';

const words = m.network;

/** Which services does my PDA take part in, what do they know of it, and what is it told to say? */
export function NetworkPage() {
  const found = useQuery(network);
  const now = found.data;
  return (
    <Page title={words.pageTitle} windowTitle={words.pageTitle} lead={words.lead}>
      {found.isPending && <LoadingSkeleton rows={6} height={28} />}
      {found.isError && now === undefined && <LoadError error={found.error} retry={() => void found.refetch()} />}
      {now !== undefined && (
        <>
          {now.publicAddress === null && (
            <Callout tone="neutral" title={words.noAddress.title}>
              {words.noAddress.text}
            </Callout>
          )}
          <Exchange exchange={now.exchange} />
          {now.exchange?.state === 'registered' && <ExchangeRecord />}
          <ReportsSection network={now} />
          <ContractsService service={now.contracts} />
        </>
      )}
    </Page>
  );
}

import { useQuery } from '@tanstack/react-query';
import { network } from '../../../api/sharing/network.ts';
import { Callout } from '../../../../shared/components/callout.tsx';
import { Page } from '../../../components/page.tsx';
import { LoadError, LoadingSkeleton } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { ContractsSection } from './contracts-section.tsx';
import { ExchangeSection } from './exchange-section.tsx';
import { ExchangeRecord } from './exchange-record.tsx';
import { ReportsSection } from './reports-section.tsx';

const texts = m.network;

export function NetworkPage() {
  const result = useQuery(network);
  const networkState = result.data;
  return (
    <Page title={m.settings.sections.network} lead={texts.lead}>
      {result.isPending && <LoadingSkeleton rows={6} height={28} />}
      {result.isError && networkState === undefined && (
        <LoadError error={result.error} retry={() => void result.refetch()} />
      )}
      {networkState !== undefined && (
        <>
          {networkState.publicAddress === null && (
            <Callout tone="neutral" title={texts.noAddress.title}>
              {texts.noAddress.text}
            </Callout>
          )}
          <ExchangeSection exchange={networkState.exchange} />
          {networkState.exchange?.state === 'registered' && <ExchangeRecord />}
          <ReportsSection network={networkState} />
          <ContractsSection service={networkState.contracts} />
        </>
      )}
    </Page>
  );
}

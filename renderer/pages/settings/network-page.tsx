import { useQuery } from '@tanstack/react-query';
import { network } from '../../api/network.ts';
import { Callout } from '../../components/callout.tsx';
import { Page } from '../../components/page.tsx';
import { Failed, Loading } from '../../components/states.tsx';
import { m } from '../../messages/texts.ts';
import { ContractsService } from './network-contracts.tsx';
import { Exchange } from './network-exchange.tsx';
import { Known } from './network-known.tsx';
import { Reports } from './network-reports.tsx';

const words = m.network;

/** Which services does my PDA take part in, what do they know of it, and what is it told to say? */
export function NetworkPage() {
  const found = useQuery(network);
  const now = found.data;
  return (
    <Page title={words.pageTitle} windowTitle={words.pageTitle} lead={words.lead}>
      {found.isPending && <Loading rows={6} height={28} />}
      {found.isError && now === undefined && <Failed error={found.error} retry={() => void found.refetch()} />}
      {now !== undefined && (
        <>
          {now.publicAddress === null && (
            <Callout tone="calm" title={words.noAddress.title}>
              {words.noAddress.text}
            </Callout>
          )}
          <Exchange exchange={now.exchange} />
          {now.exchange?.state === 'registered' && <Known />}
          <Reports network={now} />
          <ContractsService service={now.contracts} />
        </>
      )}
    </Page>
  );
}

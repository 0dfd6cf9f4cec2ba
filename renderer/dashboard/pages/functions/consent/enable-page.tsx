import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Navigate, useParams } from 'react-router';
import type { OwnerFunction } from '../../../../shared/api/contract.ts';
import { functionById } from '../../../api/functions/queries.ts';
import { Callout } from '../../../../shared/components/callout.tsx';
import { Logo } from '../../../../shared/components/logo.tsx';
import { Page } from '../../../components/page.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { functionPath } from '../../../navigation.ts';
import { EnableConsent } from './enable-consent.tsx';
import { FunctionPlaceholder, functionCrumbs } from '../function-loader.tsx';
import { isOn } from '../status/state.ts';
import { nameOf } from '../function-text.ts';

const texts = m.functions.enable;

/** Returns a key of a function's request. If it changes, the owner must review the request again. */
const requestKeyOf = ({ version, configuration, writes, place }: OwnerFunction): string =>
  JSON.stringify([version, configuration?.dataBundle ?? null, configuration?.trigger ?? null, writes, place]);

export function EnablePage() {
  const { id = '' } = useParams();
  return <EnableFunction key={id} id={id} />;
}

function EnableFunction({ id }: { id: string }) {
  const query = useQuery({ ...functionById(id), refetchOnMount: 'always' });
  const [reviewedKey, setReviewedKey] = useState<string>();
  const ownerFunction = query.data;
  if (ownerFunction === undefined)
    return <FunctionPlaceholder error={query.error} retry={() => void query.refetch()} />;
  const { configuration, approved, asksForMore, registered } = ownerFunction;
  // The function may have been removed or enabled in another window.
  const needsNoDecision = !registered || configuration === null || (isOn(ownerFunction) && !asksForMore);
  if (needsNoDecision && query.isSuccess && query.isFetchedAfterMount)
    return <Navigate to={functionPath(id)} replace />;
  if (configuration === null) return <FunctionPlaceholder error={query.error} retry={() => void query.refetch()} />;

  const requestKey = requestKeyOf(ownerFunction);
  if (reviewedKey === undefined) setReviewedKey(requestKey);
  const hasChanged = reviewedKey !== undefined && reviewedKey !== requestKey;
  const name = nameOf(ownerFunction);
  const title = asksForMore && approved !== null ? texts.titleMore(name) : texts.title(name);
  return (
    <Page
      title={title}
      crumbs={[...functionCrumbs, { label: name, to: functionPath(id) }]}
      picture={<Logo url={configuration.info.graphics?.logo?.normal ?? ''} name={name} size={56} />}
      lead={texts.lead}
    >
      {hasChanged && (
        <Callout tone="attention" title={texts.changed} urgent>
          <Text>{texts.changedText}</Text>
        </Callout>
      )}
      <EnableConsent
        key={requestKey}
        ownerFunction={ownerFunction}
        configuration={configuration}
        requestKey={requestKey}
        hasChanged={hasChanged}
      />
    </Page>
  );
}

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
import { MissingFunction, functionCrumbs } from '../missing-function.tsx';
import { isOn } from '../status/state.ts';
import { nameOf } from '../function-text.ts';

const words = m.functions.enable;

/** What is decided about: another of these is another question. */
const askedBy = ({ version, configuration, writes, place }: OwnerFunction): string =>
  JSON.stringify([version, configuration?.dataBundle ?? null, configuration?.trigger ?? null, writes, place]);

/** All that a function would read, and the decision. What changed since the last one comes first. */
export function EnablePage() {
  const { id = '' } = useParams();
  return <Enable key={id} id={id} />;
}

function Enable({ id }: { id: string }) {
  const found = useQuery({ ...functionById(id), refetchOnMount: 'always' });
  const [seen, setSeen] = useState<string>();
  const one = found.data;
  if (one === undefined) return <MissingFunction error={found.error} retry={() => void found.refetch()} />;
  const { configuration, approved, asksForMore, registered } = one;
  // Decided, here or elsewhere; or there is nothing to decide about yet. The page of the function says which.
  const settled = !registered || configuration === null || (isOn(one) && !asksForMore);
  if (settled && found.isFetchedAfterMount) return <Navigate to={functionPath(id)} replace />;
  if (configuration === null) return <MissingFunction error={null} retry={() => void found.refetch()} />;

  const asked = askedBy(one);
  if (seen === undefined) setSeen(asked);
  const changed = seen !== undefined && seen !== asked;
  const name = nameOf(one);
  const title = asksForMore && approved !== null ? words.titleMore(name) : words.title(name);
  return (
    <Page
      title={title}
      windowTitle={title}
      crumbs={[...functionCrumbs, { label: name, to: functionPath(id) }]}
      picture={<Logo url={configuration.info.graphics?.logo?.normal ?? ''} name={name} size={56} />}
      lead={words.lead}
    >
      {changed && (
        <Callout tone="attention" title={words.changed} urgent>
          <Text size="sm">{words.changedText}</Text>
        </Callout>
      )}
      <EnableConsent key={asked} one={one} configuration={configuration} asked={asked} changed={changed} />
    </Page>
  );
}

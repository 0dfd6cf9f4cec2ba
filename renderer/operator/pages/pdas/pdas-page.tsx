import { Box, CloseButton, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconSearch, IconServer2 } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { Link } from 'react-router';
import { StatusBadge } from '../../../shared/components/status-badge.tsx';
import { EmptyState } from '../../../shared/feedback/states.tsx';
import { withParameters, useUrlQuery } from '../../../shared/form/use-url-query.ts';
import type { Pda } from '../../api/client.ts';
import { pdas } from '../../api/queries.ts';
import { InfiniteList, toItemList } from '../../components/infinite-list.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { Note } from '../../components/note.tsx';
import { Page } from '../../components/page.tsx';
import { messages } from '../../messages/texts.ts';
import { PdaDrawer } from './pda-drawer.tsx';
import classes from './pdas-page.module.css';

const texts = messages.pdas;

const normaliseAddress = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//u, '')
    .replace(/\/+$/u, '');

export function PdasPage() {
  const [query, setQuery] = useUrlQuery();
  const addressFilter = query.get('address') ?? '';
  const selectedAddress = query.get('open') ?? '';
  const updateQuery = (change: { address?: string; open?: string }) =>
    setQuery(withParameters(change), { replace: change.open === undefined });
  const linkTo = (address: string): string => {
    const next = new URLSearchParams({ ...(addressFilter === '' ? {} : { address: addressFilter }), open: address });
    return `/pdas?${next.toString()}`;
  };
  const list = toItemList(useInfiniteQuery(pdas(addressFilter)));
  const isEmpty = list.items?.length === 0 && addressFilter === '';
  return (
    <Page title={texts.pageTitle} lead={texts.lead}>
      {!isEmpty && (
        <AddressSearch key={addressFilter} value={addressFilter} onFind={(address) => updateQuery({ address })} />
      )}
      <InfiniteList
        list={list}
        emptyState={
          addressFilter === '' ? (
            <EmptyState icon={IconServer2} title={texts.none}>
              {texts.noneText}
            </EmptyState>
          ) : (
            <Note>{texts.noMatch(addressFilter)}</Note>
          )
        }
        singular={texts.singular}
        plural={texts.plural}
      >
        {(items) => <PdaList items={items} linkTo={linkTo} />}
      </InfiniteList>
      <PdaDrawer address={selectedAddress} close={() => updateQuery({ open: '' })} />
    </Page>
  );
}

function AddressSearch({ value, onFind }: { value: string; onFind: (address: string) => void }) {
  const [text, setText] = useState(value);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onFind(normaliseAddress(text));
  };
  return (
    <Box component="form" onSubmit={submit} role="search" maw="22rem" mb="lg">
      <TextInput
        type="search"
        aria-label={texts.find}
        placeholder={texts.find}
        autoCapitalize="none"
        spellCheck={false}
        leftSection={<IconSearch size={16} stroke={1.6} aria-hidden="true" />}
        rightSection={
          (text !== '' || value !== '') && (
            <CloseButton
              size="sm"
              aria-label={texts.clear}
              onClick={() => {
                setText('');
                onFind('');
              }}
            />
          )
        }
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </Box>
  );
}

function PdaList({ items, linkTo }: { items: readonly Pda[]; linkTo: (address: string) => string }) {
  return (
    <ul className={classes.list} aria-label={texts.pageTitle}>
      {items.map(({ pdaId, address, registered, lastSeen, waitingKey }) => (
        <li key={pdaId}>
          <Link to={linkTo(address)} className={classes.row}>
            <span className={classes.address}>{address}</span>
            <span className={classes.status}>
              {waitingKey !== null && (
                <StatusBadge status="attention" short>
                  {texts.otherKeyPending}
                </StatusBadge>
              )}
            </span>
            <span className={classes.times}>
              <span>
                <small>{texts.registered}</small> <Timestamp at={registered} short />
              </span>
              <span>
                <small>{texts.lastSeen}</small> <Timestamp at={lastSeen} short />
              </span>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

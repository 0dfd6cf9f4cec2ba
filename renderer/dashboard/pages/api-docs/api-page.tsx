import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo } from 'react';
import { openApi } from '../../api/queries.ts';
import { Page } from '../../components/page.tsx';
import { SearchField } from '../../../shared/form/search-field.tsx';
import { LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { withParameters, useUrlQuery } from '../../../shared/form/use-url-query.ts';
import { number } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import classes from './api-page.module.css';
import { type OpenApi, groupsOf, matchesOperation, operationsOf } from './openapi.ts';
import { Operation } from './operation.tsx';

const words = m.settings.api;

/** Every call of this PDA, read from its own description. */
export function ApiPage() {
  const found = useQuery(openApi);
  return (
    <Page
      title={words.pageTitle}
      windowTitle={words.pageTitle}
      lead={words.text}
      actions={
        <Anchor href="/api/v2.6/openapi.json" target="_blank" rel="noreferrer" size="sm">
          {words.download}
        </Anchor>
      }
    >
      {found.isPending && <LoadingSkeleton rows={10} height={24} />}
      {found.isError && <LoadError error={found.error} retry={() => void found.refetch()} />}
      {found.data !== undefined && <Calls doc={found.data} />}
    </Page>
  );
}

function Calls({ doc }: { doc: OpenApi }) {
  const [query, setQuery] = useUrlQuery();
  const text = query.get('find') ?? '';
  const wanted = useDeferredValue(text.trim());
  const open = query.getAll('call');
  const operations = useMemo(() => operationsOf(doc), [doc]);
  const shown = wanted === '' ? operations : operations.filter((operation) => matchesOperation(operation, wanted));
  const groups = groupsOf(doc, shown);

  const toggle = (id: string) =>
    setQuery(
      (now) => {
        if (now.has('call', id)) now.delete('call', id);
        else now.append('call', id);
        return now;
      },
      { replace: true, preventScrollReset: true },
    );

  return (
    <div className={classes.columns}>
      <div className={classes.side}>
        <SearchField
          label={words.search}
          clearLabel={m.data.endpoint.clearSearch}
          value={text}
          onSearch={(find) => setQuery(withParameters({ find }), { replace: true, preventScrollReset: true })}
          immediate
        />
        <Text size="xs" c="dimmed" role="status" my="sm">
          {wanted === '' ? words.shown(operations.length) : words.shownOf(shown.length, operations.length)}
        </Text>
        <nav aria-label={words.groups} className={classes.groups}>
          {groups.map((group) => (
            <button
              key={group.name}
              type="button"
              onClick={() => document.querySelector(`#${anchorOf(group.name)}`)?.scrollIntoView({ block: 'start' })}
            >
              <span>{group.name}</span>
              <span>{number(group.operations.length)}</span>
            </button>
          ))}
        </nav>
      </div>
      <div className={classes.calls}>
        {shown.length === 0 && <Text c="dimmed">{words.none(wanted)}</Text>}
        {groups.map((group) => (
          <section key={group.name} className={classes.group}>
            <h2 id={anchorOf(group.name)}>{group.name}</h2>
            {group.description !== '' && (
              <Text size="sm" c="dimmed">
                {group.description}
              </Text>
            )}
            <div className={classes.list}>
              {group.operations.map((operation) => (
                <Operation
                  key={operation.id}
                  doc={doc}
                  operation={operation}
                  open={open.includes(operation.id)}
                  toggle={() => toggle(operation.id)}
                />
              ))}
            </div>
          </section>
        ))}
      </div>
    </div>
  );
}

function anchorOf(group: string): string {
  return `group-${group.replaceAll(/[^\w-]/g, '-')}`;
}

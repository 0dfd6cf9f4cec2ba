import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo } from 'react';
import { openApi } from '../../api/queries.ts';
import { Page } from '../../components/page.tsx';
import { SearchField } from '../../../shared/form/search-field.tsx';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { withParameters, useUrlQuery } from '../../../shared/form/use-url-query.ts';
import { number } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import classes from './api-page.module.css';
import { type OpenApi, groupsOf, matchesOperation, operationsOf } from './openapi.ts';
import { Operation } from './operation.tsx';

const texts = m.settings.api;

export function ApiPage() {
  const query = useQuery(openApi);
  return (
    <Page
      title={texts.pageTitle}
      lead={texts.text}
      actions={
        <Anchor href="/api/v2.6/openapi.json" target="_blank" rel="noreferrer">
          {texts.download}
        </Anchor>
      }
    >
      <QueryBoundary query={query} rows={10} height={24} />
      {query.data !== undefined && <OperationList doc={query.data} />}
    </Page>
  );
}

function OperationList({ doc }: { doc: OpenApi }) {
  const [urlQuery, setUrlQuery] = useUrlQuery();
  const text = urlQuery.get('find') ?? '';
  const search = useDeferredValue(text.trim());
  const openIds = urlQuery.getAll('call');
  const operations = useMemo(() => operationsOf(doc), [doc]);
  const visibleOperations =
    search === '' ? operations : operations.filter((operation) => matchesOperation(operation, search));
  const groups = groupsOf(doc, visibleOperations);

  const toggle = (id: string) =>
    setUrlQuery(
      (current) => {
        if (current.has('call', id)) current.delete('call', id);
        else current.append('call', id);
        return current;
      },
      { replace: true, preventScrollReset: true },
    );

  return (
    <div className={classes.columns}>
      <div className={classes.sidebar}>
        <SearchField
          label={texts.search}
          value={text}
          onSearch={(find) => setUrlQuery(withParameters({ find }), { replace: true, preventScrollReset: true })}
          immediate
        />
        <Text size="xs" c="dimmed" role="status" my="sm">
          {search === ''
            ? texts.operationCount(operations.length)
            : texts.matchCount(visibleOperations.length, operations.length)}
        </Text>
        <nav aria-label={texts.groups} className={classes.groups}>
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
      <div>
        {visibleOperations.length === 0 && (
          <Text size="md" c="dimmed">
            {texts.none(search)}
          </Text>
        )}
        {groups.map((group) => (
          <section key={group.name} className={classes.group}>
            <h2 id={anchorOf(group.name)}>{group.name}</h2>
            {group.description !== '' && <Text c="dimmed">{group.description}</Text>}
            <div className={classes.list}>
              {group.operations.map((operation) => (
                <Operation
                  key={operation.id}
                  doc={doc}
                  operation={operation}
                  open={openIds.includes(operation.id)}
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

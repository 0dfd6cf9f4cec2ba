import { ActionIcon, Group, Tooltip, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconChevronRight, IconDatabase, IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { useFindParameter } from '../../../shared/form/list-search-field.tsx';
import { Section } from '../../../shared/layout/page-frame.tsx';
import { SearchField } from '../../../shared/form/search-field.tsx';
import { EmptyState } from '../../../shared/feedback/states.tsx';
import { number } from '../../../shared/format/format.ts';
import { useHasRole } from '../../api/account.ts';
import type { AvailableNamespace } from '../../api/client.ts';
import { availableData } from '../../api/queries.ts';
import { Note } from '../../components/note.tsx';
import { Page } from '../../components/page.tsx';
import tableClasses from '../../components/table.module.css';
import { messages } from '../../messages/texts.ts';
import classes from './data-page.module.css';
import { type DescriptionTarget, DescriptionForm } from './description-form.tsx';
import { filterNamespaces } from './search.ts';

const texts = messages.availableData;
type Endpoint = AvailableNamespace['endpoints'][number];

export function DataPage() {
  const result = useQuery(availableData);
  const canEdit = useHasRole('management');
  const [editTarget, setEditTarget] = useState<DescriptionTarget>();
  const [searchText, setSearchText] = useFindParameter();
  const visibleNamespaces = filterNamespaces(result.data ?? [], searchText);
  const endpointCount = (result.data ?? []).reduce((sum, namespace) => sum + namespace.endpoints.length, 0);
  return (
    <Page title={texts.pageTitle} lead={canEdit ? texts.leadEdit : texts.lead}>
      <QueryBoundary query={result} rows={6} />
      {result.data?.length === 0 && (
        <EmptyState icon={IconDatabase} title={texts.none}>
          {texts.noneText}
        </EmptyState>
      )}
      {result.data !== undefined && result.data.length > 0 && (
        <Group justify="space-between" gap="0.75rem 1.5rem" mb="2rem" c="dimmed">
          <SearchField className={classes.search} label={texts.search} value={searchText} onSearch={setSearchText} />
          <span>{texts.summary(result.data.length, endpointCount)}</span>
        </Group>
      )}
      {result.data !== undefined && searchText !== '' && visibleNamespaces.length === 0 && (
        <Note>{texts.noMatch(searchText)}</Note>
      )}
      {visibleNamespaces.map(({ namespace, description, endpoints }) => (
        <Section
          key={namespace}
          title={namespace}
          aside={
            canEdit && (
              <EditButton
                target={namespace}
                onClick={() => setEditTarget({ namespace, endpoint: '', field: '', description })}
              />
            )
          }
        >
          <Note>{description === '' ? texts.undescribed : description}</Note>
          <ul className={classes.list}>
            {endpoints.map((endpoint) => (
              <EndpointItem
                key={endpoint.endpoint}
                namespace={namespace}
                entry={endpoint}
                isOpenByDefault={searchText !== ''}
                edit={canEdit ? setEditTarget : undefined}
              />
            ))}
          </ul>
        </Section>
      ))}
      {editTarget !== undefined && <DescriptionForm target={editTarget} close={() => setEditTarget(undefined)} />}
    </Page>
  );
}

function EditButton({ target, onClick }: { target: string; onClick: () => void }) {
  return (
    <Tooltip label={texts.edit}>
      <ActionIcon
        variant="subtle"
        color="gray"
        c="var(--ink-soft)"
        aria-label={texts.describe(target)}
        onClick={onClick}
      >
        <IconPencil size={16} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  );
}

interface EndpointItemProps {
  namespace: string;
  entry: Endpoint;
  /** Shows the fields until they are collapsed. True for search results. */
  isOpenByDefault: boolean;
  edit: ((target: DescriptionTarget) => void) | undefined;
}

function EndpointItem({ namespace, entry, isOpenByDefault, edit }: EndpointItemProps) {
  const { endpoint, description, fields } = entry;
  const [isToggledOpen, setIsToggledOpen] = useState<boolean>();
  const isExpanded = isToggledOpen ?? isOpenByDefault;
  const path = `${namespace}/${endpoint}`;
  return (
    <li>
      <div className={classes.endpoint}>
        <UnstyledButton
          className={classes.toggle}
          aria-expanded={isExpanded}
          onClick={() => setIsToggledOpen(!isExpanded)}
        >
          <IconChevronRight size={16} stroke={1.6} aria-hidden="true" data-open={isExpanded || undefined} />
          <span className={classes.name}>{endpoint}</span>
          <span className={classes.fieldCount}>{texts.fields(fields.length)}</span>
        </UnstyledButton>
        <span className={classes.description}>{description === '' ? texts.undescribed : description}</span>
        {edit !== undefined && (
          <EditButton target={path} onClick={() => edit({ namespace, endpoint, field: '', description })} />
        )}
      </div>
      {isExpanded && fields.length > 0 && (
        <div className={tableClasses.scrollContainer} tabIndex={0} role="group" aria-label={texts.show(path)}>
          <table className={`${tableClasses.table} ${classes.fields}`}>
            <thead>
              <tr>
                <th scope="col">{texts.field}</th>
                <th scope="col">{texts.description}</th>
                <th scope="col" data-number>
                  {texts.valuesHead}
                </th>
              </tr>
            </thead>
            <tbody>
              {fields.map((field) => (
                <tr key={field.name}>
                  <th scope="row">
                    <code>{field.name}</code>
                  </th>
                  <td>
                    <span className={classes.descriptionCell}>
                      <span className={classes.description}>
                        {field.description === '' ? texts.undescribed : field.description}
                      </span>
                      {edit !== undefined && (
                        <EditButton
                          target={`${path} ${field.name}`}
                          onClick={() =>
                            edit({ namespace, endpoint, field: field.name, description: field.description })
                          }
                        />
                      )}
                    </span>
                  </td>
                  <td data-number>{number(field.count)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </li>
  );
}

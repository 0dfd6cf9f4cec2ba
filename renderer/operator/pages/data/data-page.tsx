import { ActionIcon, Tooltip, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconChevronRight, IconDatabase, IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { useFindParameter } from '../../../shared/form/find-field.tsx';
import { Section } from '../../../shared/layout/page-frame.tsx';
import { SearchField } from '../../../shared/form/search-field.tsx';
import { EmptyState } from '../../../shared/feedback/states.tsx';
import { number } from '../../../shared/format/format.ts';
import { useHasRole } from '../../api/account.ts';
import type { AvailableNamespace } from '../../api/client.ts';
import { availableData } from '../../api/queries.ts';
import { EmptyNote } from '../../components/empty-note.tsx';
import { Page } from '../../components/page.tsx';
import tableClasses from '../../components/table.module.css';
import { x } from '../../messages/texts.ts';
import classes from './data-page.module.css';
import { type DescriptionTarget, DescriptionForm } from './description-form.tsx';
import { filterNamespaces } from './search.ts';

const words = x.available;
type Endpoint = AvailableNamespace['endpoints'][number];

/** Data that PDAs hold, with descriptions. */
export function DataPage() {
  const found = useQuery(availableData);
  const edits = useHasRole('management');
  const [described, setDescribed] = useState<DescriptionTarget>();
  const [find, setFind] = useFindParameter();
  const shown = filterNamespaces(found.data ?? [], find);
  const endpoints = (found.data ?? []).reduce((sum, one) => sum + one.endpoints.length, 0);
  return (
    <Page title={words.pageTitle} lead={edits ? words.leadEdit : words.lead}>
      <QueryBoundary query={found} rows={6} />
      {found.data?.length === 0 && (
        <EmptyState icon={IconDatabase} title={words.none}>
          {words.noneText}
        </EmptyState>
      )}
      {found.data !== undefined && found.data.length > 0 && (
        <div className={classes.top}>
          <SearchField
            className={classes.find}
            label={words.find}
            clearLabel={words.clear}
            value={find}
            onSearch={setFind}
          />
          <span>{words.summary(found.data.length, endpoints)}</span>
        </div>
      )}
      {found.data !== undefined && find !== '' && shown.length === 0 && <EmptyNote>{words.noMatch(find)}</EmptyNote>}
      {shown.map(({ namespace, description, endpoints }) => (
        <Section
          key={namespace}
          title={namespace}
          aside={
            edits && (
              <EditButton
                what={namespace}
                onClick={() => setDescribed({ namespace, endpoint: '', field: '', description })}
              />
            )
          }
        >
          <EmptyNote>{description === '' ? words.undescribed : description}</EmptyNote>
          <ul className={classes.list}>
            {endpoints.map((endpoint) => (
              <Place
                key={endpoint.endpoint}
                namespace={namespace}
                of={endpoint}
                open={find !== ''}
                describe={edits ? setDescribed : undefined}
              />
            ))}
          </ul>
        </Section>
      ))}
      {described !== undefined && <DescriptionForm of={described} close={() => setDescribed(undefined)} />}
    </Page>
  );
}

function EditButton({ what, onClick }: { what: string; onClick: () => void }) {
  return (
    <Tooltip label={words.edit}>
      <ActionIcon variant="subtle" color="gray" c="var(--ink-soft)" aria-label={words.describe(what)} onClick={onClick}>
        <IconPencil size={16} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  );
}

interface PlaceProps {
  namespace: string;
  of: Endpoint;
  /** Expanded initially: a search leads here. */
  open: boolean;
  describe: ((what: DescriptionTarget) => void) | undefined;
}

function Place({ namespace, of: { endpoint, description, fields }, open, describe }: PlaceProps) {
  const [clicked, setClicked] = useState<boolean>();
  const shown = clicked ?? open;
  const path = `${namespace}/${endpoint}`;
  return (
    <li>
      <div className={classes.place}>
        <UnstyledButton className={classes.opener} aria-expanded={shown} onClick={() => setClicked(!shown)}>
          <IconChevronRight size={16} stroke={1.6} aria-hidden="true" data-open={shown || undefined} />
          <span className={classes.name}>{endpoint}</span>
          <span className={classes.amount}>{words.fields(fields.length)}</span>
        </UnstyledButton>
        <span className={classes.description}>{description === '' ? words.undescribed : description}</span>
        {describe !== undefined && (
          <EditButton what={path} onClick={() => describe({ namespace, endpoint, field: '', description })} />
        )}
      </div>
      {shown && fields.length > 0 && (
        <div className={tableClasses.scroll} tabIndex={0} role="group" aria-label={words.show(path)}>
          <table className={`${tableClasses.table} ${classes.fields}`}>
            <thead>
              <tr>
                <th scope="col">{words.field}</th>
                <th scope="col">{words.description}</th>
                <th scope="col" data-number>
                  {words.valuesHead}
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
                    <span className={classes.cell}>
                      <span className={classes.description}>
                        {field.description === '' ? words.undescribed : field.description}
                      </span>
                      {describe !== undefined && (
                        <EditButton
                          what={`${path} ${field.name}`}
                          onClick={() =>
                            describe({ namespace, endpoint, field: field.name, description: field.description })
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

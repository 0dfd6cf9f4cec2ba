import { Anchor } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { Link } from 'react-router';
import type { EndpointSummary, SharingPreview } from '../../shared/api/contract.ts';
import { endpoints, recordPage } from '../api/queries.ts';
import { m } from '../../shared/messages/texts.ts';
import { endpointPath } from '../navigation.ts';
import { ChosenEndpointIcon } from '../pages/data/endpoints/endpoint-icon.tsx';
import { Section } from '../components/page.tsx';
import type { Choices } from './choices.ts';
import { isEntryShared, isFieldShared } from './choices.ts';
import { useDataNames } from './use-data-names.ts';
import { type DataNames, fieldName } from '../../shared/components/display-names.ts';
import type { PlainEntry, PlainProperty } from '../../shared/consent/bundle-text.ts';
import { fieldPaths, isSharedByOtherField, unrequestedPaths } from './record-fields.ts';
import { previewFields } from './scope-choice.tsx';
import classes from './withheld-data.module.css';

const texts = m.requests.withheld;
const SAMPLE_RECORDS = 20;
const MAX_LISTED_ENDPOINTS = 12;

interface WithheldDataProps {
  properties: readonly PlainProperty[];
  /** Preview of all requested data; undefined until it is loaded. */
  requestedPreview: SharingPreview | undefined;
  /** Preview of what the owner's choices share; undefined until it is loaded, and if they exclude everything. */
  selectedPreview: SharingPreview | undefined;
  choices: Choices;
}

export function WithheldData({ properties, requestedPreview, selectedPreview, choices }: WithheldDataProps) {
  const storedEndpoints = useQuery(endpoints).data;
  const names = useDataNames();
  const entries = properties.flatMap((property) => property.entries);
  const requestedEndpoints = [...new Set(entries.map(({ endpoint }) => endpoint))];
  const samples = useQueries({
    queries: requestedEndpoints.map((endpoint) => ({
      ...recordPage({ endpoint, search: '', filters: [], sorts: [], oldestFirst: false }, 0, SAMPLE_RECORDS),
      enabled: storedEndpoints?.some((summary) => summary.endpoint === endpoint && summary.records > 0) === true,
    })),
    combine: (results) =>
      new Map(
        requestedEndpoints.map((endpoint, index) => [
          endpoint,
          fieldPaths((results[index]?.data?.records ?? []).map(({ data }) => data)),
        ]),
      ),
  });
  const otherEndpoints = (storedEndpoints ?? []).filter(({ endpoint }) => !requestedEndpoints.includes(endpoint));
  const leftOutFields = entries.flatMap((entry) =>
    excludedFields(entry, entries, choices, previewFields(requestedPreview, entry), names),
  );
  const fieldLists = requestedEndpoints.flatMap((endpoint) => {
    const endpointEntries = entries.filter((entry) => entry.endpoint === endpoint);
    const paths = unrequestedPaths(samples.get(endpoint) ?? [], endpointEntries);
    const fields = paths.map((path) => ({ name: names.field(path, endpoint), path }));
    return fields.length === 0 ? [] : [{ key: endpoint, term: texts.fieldsOf(names.endpoint(endpoint)), fields }];
  });
  return (
    <Section title={texts.title} text={texts.text}>
      <dl className={classes.list}>
        {leftOutFields.length > 0 && <NameList term={texts.leftOut} fields={leftOutFields} />}
        {fieldLists.map(({ key, ...list }) => (
          <NameList key={key} {...list} />
        ))}
        {(selectedPreview?.properties ?? []).map((property) => (
          <WithheldRecords key={property.property} property={property} />
        ))}
        {storedEndpoints !== undefined && <OtherEndpoints otherEndpoints={otherEndpoints} />}
      </dl>
    </Section>
  );
}

interface WithheldField {
  name: string;
  path: string;
}

function excludedFields(
  entry: PlainEntry,
  allEntries: readonly PlainEntry[],
  choices: Choices,
  knownFields: readonly string[],
  names: DataNames,
): WithheldField[] {
  if (!isEntryShared(choices, entry)) return [{ name: m.requests.scope.all(entry.title), path: entry.endpoint }];
  const fields =
    entry.fields ?? knownFields.map((name) => ({ name, label: names.field(name, entry.endpoint), source: name }));
  return fields
    .filter(({ name }) => !isFieldShared(choices, entry, name))
    .filter(({ source }) => !isSharedByOtherField(entry.endpoint, source, allEntries, choices))
    .map(({ label, source }) => ({ name: m.requests.scope.fieldOf(label, entry.title), path: source }));
}

const MAX_LISTED_NAMES = 8;

function NameList({ term, fields }: { term: string; fields: readonly WithheldField[] }) {
  const [showsAll, setShowsAll] = useState(false);
  // Fields with equal names are listed once, with all paths.
  const pathsByName = new Map<string, string[]>();
  for (const { name, path } of fields) pathsByName.set(name, [...(pathsByName.get(name) ?? []), path]);
  const names = [...pathsByName];
  const visibleNames = showsAll ? names : names.slice(0, MAX_LISTED_NAMES);
  const hiddenCount = names.length - visibleNames.length;
  return (
    <div>
      <dt>{term}</dt>
      <dd>
        {visibleNames.map(([name, paths], index) => (
          <Fragment key={name}>
            {index > 0 && ', '}
            <span title={[...new Set(paths)].join(', ')}>{name}</span>
          </Fragment>
        ))}
        {hiddenCount > 0 && (
          <>
            {' '}
            <Anchor component="button" type="button" onClick={() => setShowsAll(true)}>
              {m.shell.andMore(hiddenCount)}
            </Anchor>
          </>
        )}
      </dd>
    </div>
  );
}

function WithheldRecords({ property }: { property: SharingPreview['properties'][number] }) {
  const recordCount = property.entries.reduce((sum, entry) => sum + (entry.excluded ? 0 : entry.endpointRecords), 0);
  const withheldCount = recordCount - property.leaving;
  if (withheldCount <= 0) return null;
  return (
    <div>
      <dt>{texts.recordsOf(fieldName(property.property))}</dt>
      <dd>{texts.records(withheldCount)}</dd>
    </div>
  );
}

function OtherEndpoints({ otherEndpoints }: { otherEndpoints: readonly EndpointSummary[] }) {
  const [showsAll, setShowsAll] = useState(false);
  const visibleEndpoints = showsAll ? otherEndpoints : otherEndpoints.slice(0, MAX_LISTED_ENDPOINTS);
  const recordCount = otherEndpoints.reduce((sum, endpoint) => sum + endpoint.records, 0);
  return (
    <div>
      <dt>{texts.everythingElse}</dt>
      <dd>
        {otherEndpoints.length === 0 ? (
          texts.nothingElse
        ) : (
          <>
            {texts.endpoints(otherEndpoints.length, recordCount)}
            <ul className={classes.endpoints}>
              {visibleEndpoints.map(({ endpoint }) => (
                <li key={endpoint}>
                  <ChosenEndpointIcon endpoint={endpoint} /> <Link to={endpointPath(endpoint)}>{endpoint}</Link>
                </li>
              ))}
              {otherEndpoints.length > visibleEndpoints.length && (
                <li>
                  <Anchor component="button" type="button" onClick={() => setShowsAll(true)}>
                    {texts.showAll(otherEndpoints.length)}
                  </Anchor>
                </li>
              )}
            </ul>
          </>
        )}
      </dd>
    </div>
  );
}

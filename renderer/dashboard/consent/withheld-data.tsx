import { Anchor, Text } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import type { EndpointSummary, SharingPreview } from '../../shared/api/contract.ts';
import { endpoints, recordPage } from '../api/queries.ts';
import { m } from '../../shared/messages/texts.ts';
import { endpointPath } from '../navigation.ts';
import { Section } from '../components/page.tsx';
import type { Choices } from './choices.ts';
import { isEntryShared, isFieldShared } from './choices.ts';
import { endpointName, fieldName } from '../../shared/components/program-names.ts';
import type { PlainEntry, PlainProperty } from '../../shared/consent/bundle-text.ts';
import { fieldPaths, unrequestedPaths } from './record-fields.ts';
import { previewFields } from './scope-choice.tsx';
import classes from './withheld-data.module.css';

const words = m.requests.withheld;
const SAMPLE_RECORDS = 20;
const MAX_LISTED_ENDPOINTS = 12;

interface WithheldDataProps {
  properties: readonly PlainProperty[];
  /** Preview of the request without the owner's choices. */
  requested: SharingPreview | undefined;
  /** Preview with the owner's choices applied. */
  selected: SharingPreview | undefined;
  choices: Choices;
}

/** List of the data that is not shared: unrequested fields, records that do not match, and all other endpoints. */
export function WithheldData({ properties, requested, selected, choices }: WithheldDataProps) {
  const storedEndpoints = useQuery(endpoints).data;
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
  const excluded = entries.flatMap((entry) => excludedFields(entry, choices, previewFields(requested, entry)));
  const fieldLists = requestedEndpoints.flatMap((endpoint) => {
    const endpointEntries = entries.filter((entry) => entry.endpoint === endpoint);
    const names = unrequestedPaths(samples.get(endpoint) ?? [], endpointEntries);
    return names.length === 0 ? [] : [{ term: words.fieldsOf(endpointName(endpoint)), names: names.map(fieldName) }];
  });
  return (
    <Section title={words.title}>
      <Text size="sm" c="dimmed" mb="sm">
        {words.text}
      </Text>
      <dl className={classes.list}>
        {excluded.length > 0 && <NameList term={words.leftOut} names={excluded} />}
        {fieldLists.map((list) => (
          <NameList key={list.term} {...list} />
        ))}
        {(selected?.properties ?? []).map((property) => (
          <WithheldRecords key={property.property} property={property} />
        ))}
        <OtherEndpoints others={otherEndpoints} />
      </dl>
    </Section>
  );
}

function excludedFields(entry: PlainEntry, choices: Choices, knownFields: readonly string[]): string[] {
  if (!isEntryShared(choices, entry)) return [words.everything(entry.title)];
  const fields = entry.fields ?? knownFields.map((name) => ({ name, label: fieldName(name) }));
  return fields
    .filter(({ name }) => !isFieldShared(choices, entry, name))
    .map(({ label }) => m.requests.scope.fieldOf(label, entry.title));
}

const MAX_LISTED_NAMES = 8;

function NameList({ term, names }: { term: string; names: readonly string[] }) {
  const [showsAll, setShowsAll] = useState(false);
  const uniqueNames = [...new Set(names)];
  const visibleNames = showsAll ? uniqueNames : uniqueNames.slice(0, MAX_LISTED_NAMES);
  const hiddenCount = uniqueNames.length - visibleNames.length;
  return (
    <div>
      <dt>{term}</dt>
      <dd>
        {visibleNames.join(', ')}
        {hiddenCount > 0 && (
          <>
            {' '}
            <Anchor component="button" type="button" size="sm" onClick={() => setShowsAll(true)}>
              {words.andMore(hiddenCount)}
            </Anchor>
          </>
        )}
      </dd>
    </div>
  );
}

/** Number of stored records of a property's endpoints that are not shared. */
function WithheldRecords({ property }: { property: SharingPreview['properties'][number] }) {
  const heldCount = property.entries.reduce((sum, entry) => sum + (entry.dropped ? 0 : entry.held), 0);
  const withheld = heldCount - property.leaving;
  if (withheld <= 0) return null;
  return (
    <div>
      <dt>{words.recordsOf(fieldName(property.property))}</dt>
      <dd>{words.records(withheld)}</dd>
    </div>
  );
}

function OtherEndpoints({ others }: { others: readonly EndpointSummary[] }) {
  const [showsAll, setShowsAll] = useState(false);
  const visibleEndpoints = showsAll ? others : others.slice(0, MAX_LISTED_ENDPOINTS);
  const recordCount = others.reduce((sum, endpoint) => sum + endpoint.records, 0);
  return (
    <div>
      <dt>{words.everythingElse}</dt>
      <dd>
        {others.length === 0 ? (
          words.nothingElse
        ) : (
          <>
            {words.endpoints(others.length, recordCount)}
            <ul className={classes.endpoints}>
              {visibleEndpoints.map(({ endpoint }) => (
                <li key={endpoint}>
                  <Link to={endpointPath(endpoint)}>{endpoint}</Link>
                </li>
              ))}
              {others.length > visibleEndpoints.length && (
                <li>
                  <Anchor component="button" type="button" size="sm" onClick={() => setShowsAll(true)}>
                    {words.showAll(others.length)}
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

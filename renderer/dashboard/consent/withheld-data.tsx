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

const words = m.requests.stays;
const SAMPLE_RECORDS = 20;
const MAX_LISTED_ENDPOINTS = 12;

interface WithheldDataProps {
  properties: readonly PlainProperty[];
  /** What would leave as it was asked. */
  asked: SharingPreview | undefined;
  /** What would leave as it is chosen now. */
  now: SharingPreview | undefined;
  choices: Choices;
}

/** What is not asked for, by name: the fields beside the asked ones, the records that do not fit, every other endpoint. */
export function WithheldData({ properties, asked, now, choices }: WithheldDataProps) {
  const held = useQuery(endpoints).data;
  const entries = properties.flatMap((property) => property.entries);
  const places = [...new Set(entries.map(({ endpoint }) => endpoint))];
  const samples = useQueries({
    queries: places.map((endpoint) => ({
      ...recordPage({ endpoint, search: '', orderBy: '', descending: true }, 0, SAMPLE_RECORDS),
      enabled: held?.some((one) => one.endpoint === endpoint && one.records > 0) === true,
    })),
    combine: (results) =>
      new Map(
        places.map((endpoint, at) => [
          endpoint,
          fieldPaths((results[at]?.data?.records ?? []).map(({ data }) => data)),
        ]),
      ),
  });
  const others = (held ?? []).filter(({ endpoint }) => !places.includes(endpoint));
  const leftOut = entries.flatMap((entry) => outOf(entry, choices, previewFields(asked, entry)));
  const lines = places.flatMap((endpoint) => {
    const here = entries.filter((entry) => entry.endpoint === endpoint);
    const names = unrequestedPaths(samples.get(endpoint) ?? [], here);
    return names.length === 0 ? [] : [{ term: words.fieldsOf(endpointName(endpoint)), names: names.map(fieldName) }];
  });
  return (
    <Section title={words.title}>
      <Text size="sm" c="dimmed" mb="sm">
        {words.text}
      </Text>
      <dl className={classes.list}>
        {leftOut.length > 0 && <Line term={words.leftOut} names={leftOut} />}
        {lines.map((line) => (
          <Line key={line.term} {...line} />
        ))}
        {(now?.properties ?? []).map((property) => (
          <Rest key={property.property} property={property} />
        ))}
        <Elsewhere others={others} />
      </dl>
    </Section>
  );
}

function outOf(entry: PlainEntry, choices: Choices, seen: readonly string[]): string[] {
  if (!isEntryShared(choices, entry)) return [words.everything(entry.title)];
  const fields = entry.fields ?? seen.map((name) => ({ name, label: fieldName(name) }));
  return fields
    .filter(({ name }) => !isFieldShared(choices, entry, name))
    .map(({ label }) => m.requests.leave.fieldOf(label, entry.title));
}

const MAX_LISTED_NAMES = 8;

function Line({ term, names }: { term: string; names: readonly string[] }) {
  const [all, setAll] = useState(false);
  const different = [...new Set(names)];
  const shown = all ? different : different.slice(0, MAX_LISTED_NAMES);
  const rest = different.length - shown.length;
  return (
    <div>
      <dt>{term}</dt>
      <dd>
        {shown.join(', ')}
        {rest > 0 && (
          <>
            {' '}
            <Anchor component="button" type="button" size="sm" onClick={() => setAll(true)}>
              {words.andMore(rest)}
            </Anchor>
          </>
        )}
      </dd>
    </div>
  );
}

/** Records of the same endpoints that do not leave. */
function Rest({ property }: { property: SharingPreview['properties'][number] }) {
  const held = property.entries.reduce((sum, entry) => sum + (entry.dropped ? 0 : entry.held), 0);
  const staying = held - property.leaving;
  if (staying <= 0) return null;
  return (
    <div>
      <dt>{words.recordsOf(fieldName(property.property))}</dt>
      <dd>{words.records(staying)}</dd>
    </div>
  );
}

function Elsewhere({ others }: { others: readonly EndpointSummary[] }) {
  const [all, setAll] = useState(false);
  const shown = all ? others : others.slice(0, MAX_LISTED_ENDPOINTS);
  const records = others.reduce((sum, one) => sum + one.records, 0);
  return (
    <div>
      <dt>{words.elsewhere}</dt>
      <dd>
        {others.length === 0 ? (
          words.noneElsewhere
        ) : (
          <>
            {words.endpoints(others.length, records)}
            <ul className={classes.places}>
              {shown.map(({ endpoint }) => (
                <li key={endpoint}>
                  <Link to={endpointPath(endpoint)}>{endpoint}</Link>
                </li>
              ))}
              {others.length > shown.length && (
                <li>
                  <Anchor component="button" type="button" size="sm" onClick={() => setAll(true)}>
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

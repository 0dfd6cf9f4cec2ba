import { Anchor, SegmentedControl, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { Narrowing, SharingPreview } from '../../api/contract.ts';
import { type PreviewSource, preview } from '../../api/debits.ts';
import { m } from '../../messages/texts.ts';
import { Failed, Loading } from '../states.tsx';
import { put, useQueryInAddress } from '../use-query-in-address.ts';
import { LeavingAll } from './leaving-all.tsx';
import { LeavingRecord } from './leaving-record.tsx';
import classes from './leaving.module.css';
import { fieldName } from './names.ts';

const words = m.requests.now;
const SAMPLE = 3;
/** Milliseconds. Several switches in a row are one question. */
const REST = 120;

interface LeavingProps {
  source: PreviewSource;
  narrowing: Narrowing | undefined;
  /** All of it is left out: nothing leaves, and there is nothing to ask. */
  nothing?: boolean;
  running?: boolean;
}

type Property = SharingPreview['properties'][number];

function countText({ leaving, matching }: Property, running: boolean): string {
  if (leaving === matching) return (running ? words.countRunning : words.count)(leaving);
  return (running ? words.countOfRunning : words.countOf)(leaving, matching);
}

/** The real records as they would leave at this moment, following the switches. */
export function Leaving({ source, narrowing, nothing = false, running = false }: LeavingProps) {
  const [query, setQuery] = useQueryInAddress();
  const [settled] = useDebouncedValue(narrowing, REST);
  const found = useQuery({ ...preview(source, settled, 0, SAMPLE), enabled: !nothing });
  const asJson = query.get('as') === 'json';
  const moving = !nothing && (found.isPlaceholderData || settled !== narrowing);
  return (
    <section className={classes.leaving} aria-labelledby="leaves-now" aria-busy={moving || undefined}>
      <div className={classes.head}>
        <Title order={2} id="leaves-now">
          {running ? words.titleRunning : words.title}
        </Title>
        <SegmentedControl
          size="xs"
          aria-label={words.view}
          value={asJson ? 'json' : 'read'}
          data={[
            { value: 'read', label: words.read },
            { value: 'json', label: words.json },
          ]}
          onChange={(value) => setQuery(put({ as: value === 'json' ? 'json' : '' }), { replace: true })}
        />
      </div>
      {nothing && <p className={classes.nothing}>{words.nothingLeaves}</p>}
      {!nothing && found.isPending && <Loading rows={6} />}
      {!nothing && found.isError && <Failed error={found.error} retry={() => void found.refetch()} />}
      {!nothing && found.data !== undefined && (
        <div data-moving={moving || undefined} className={classes.properties}>
          {Object.values(found.data.conditions ?? {}).includes(false) && <p className={classes.unmet}>{words.unmet}</p>}
          {found.data.properties.map((property) => (
            <LeavingProperty
              key={property.property}
              property={property}
              alone={found.data.properties.length === 1}
              running={running}
              asJson={asJson}
              openAll={() => setQuery(put({ all: property.property }))}
            />
          ))}
        </div>
      )}
      <LeavingAll source={source} narrowing={narrowing} running={running} asJson={asJson} />
    </section>
  );
}

interface LeavingPropertyProps {
  property: Property;
  alone: boolean;
  running: boolean;
  asJson: boolean;
  openAll: () => void;
}

function LeavingProperty({ property, alone, running, asJson, openAll }: LeavingPropertyProps) {
  const { entries, leaving, records } = property;
  const off = entries.length > 0 && entries.every(({ dropped }) => dropped);
  const held = entries.reduce((sum, entry) => sum + entry.held, 0);
  return (
    <div className={classes.property}>
      <div className={classes.count}>
        {!alone && <h3>{fieldName(property.property)}</h3>}
        <span role="status">{off ? words.off : leaving === 0 ? words.none : countText(property, running)}</span>
        {leaving > records.length && !off && (
          <Anchor component="button" type="button" size="sm" onClick={openAll}>
            {words.all(leaving)}
          </Anchor>
        )}
      </div>
      {leaving === 0 && !off && (
        <Text size="sm" c="dimmed">
          {held === 0 ? words.noneHeld : words.noneText}
        </Text>
      )}
      <ol className={classes.records}>
        {records.map((record, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- a record has no name of its own here, and the first ones stay the first
          <LeavingRecord key={at} record={record} asJson={asJson} />
        ))}
      </ol>
    </div>
  );
}

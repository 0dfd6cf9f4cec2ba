import { Button, Text } from '@mantine/core';
import background from 'virtual:map-background';
import { nearestCity } from '../../../../../../server/wire/map-outlines.ts';
import type { MapClusters } from '../../../../../../server/wire/maps.ts';
import { UntrustedText } from '../../../../../shared/components/untrusted-text.tsx';
import { number } from '../../../../../shared/format/format.ts';
import { m } from '../../../../../shared/messages/texts.ts';
import { formatField } from '../../records/field-format.ts';
import classes from './map.module.css';

const texts = m.charts.map;
const MAX_ROWS = 100;
/** 0.001° is about 100 m. */
const POSITION_DECIMALS = 3;
const MAX_POSITION_CHARS = 100;

/** Returns a position such as "52.52° N, 13.405° E, near Berlin". */
export function positionText(longitude: number, latitude: number): string {
  const coordinates = [Number(longitude.toFixed(POSITION_DECIMALS)), Number(latitude.toFixed(POSITION_DECIMALS))];
  const field = { path: '', type: 'geoJson', unit: '' } as const;
  const { text } = formatField({ type: 'Point', coordinates }, field, MAX_POSITION_CHARS);
  const city = nearestCity(background.cities, longitude, latitude);
  return city === undefined ? text : texts.near(text, city);
}

interface PlaceListTexts {
  countHeading: string;
  openOne: string;
  showSeveral: (n: number) => string;
  noneInView: string;
}

const RECORD_TEXTS: PlaceListTexts = {
  countHeading: m.charts.records,
  openOne: texts.openRecord,
  showSeveral: texts.showRecords,
  noneInView: texts.noneInView,
};

interface PlaceListProps {
  /** Undefined until the clusters are loaded. */
  clusters: MapClusters['clusters'] | undefined;
  listTexts?: PlaceListTexts;
  /** Opens a cluster's only item, or shows the cluster's items on the map or in a list. */
  onOpen: (cluster: MapClusters['clusters'][number]) => void;
  onReset: () => void;
  /** False while the places of the previous area are still shown. */
  isCurrent: boolean;
}

export function PlaceList({ clusters, listTexts = RECORD_TEXTS, onOpen, onReset, isCurrent }: PlaceListProps) {
  const rows = clusters?.slice(0, MAX_ROWS) ?? [];
  return (
    <div aria-busy={!isCurrent}>
      <Button variant="default" size="xs" mb="sm" onClick={onReset}>
        {texts.showAll}
      </Button>
      {clusters?.length === 0 && <Text>{listTexts.noneInView}</Text>}
      {rows.length > 0 && (
        <div className={classes.scrollArea}>
          <table className={classes.placeTable}>
            <thead>
              <tr>
                <th scope="col">{texts.place}</th>
                <th scope="col">{listTexts.countHeading}</th>
                <td />
              </tr>
            </thead>
            <tbody>
              {rows.map((cluster) => (
                <tr key={`${cluster.longitude} ${cluster.latitude}`}>
                  <th scope="row">
                    {cluster.title !== null && (
                      <>
                        <UntrustedText>{cluster.title}</UntrustedText>
                        <br />
                      </>
                    )}
                    <span className={classes.position}>{positionText(cluster.longitude, cluster.latitude)}</span>
                  </th>
                  <td>{number(cluster.records)}</td>
                  <td>
                    <Button
                      variant="subtle"
                      size="compact-sm"
                      aria-label={
                        cluster.recordId === null ? listTexts.showSeveral(cluster.records) : listTexts.openOne
                      }
                      onClick={() => onOpen(cluster)}
                    >
                      {cluster.recordId === null ? texts.show : texts.open}
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {clusters !== undefined && clusters.length > rows.length && (
        <Text c="dimmed" mt="sm">
          {texts.listCut(rows.length, clusters.length)}
        </Text>
      )}
    </div>
  );
}

import { useQuery } from '@tanstack/react-query';
import type { Field } from '../../../../../../server/wire/fields.ts';
import type { MapBounds, MapClusters, MapExtent } from '../../../../../../server/wire/maps.ts';
import { QueryBoundary } from '../../../../../shared/feedback/query-boundary.tsx';
import { LoadError } from '../../../../../shared/feedback/states.tsx';
import { m } from '../../../../../shared/messages/texts.ts';
import { type MapRequest, mapClusters, mapExtent, mapLines } from '../../../../api/maps.ts';
import type { ChartView } from '../chart-parameters.ts';
import { ChartFigure, type ChartFrame } from '../chart-figure.tsx';
import type { ResolvedChart } from '../resolve-chart.ts';
import { DetailSection } from './detail/detail-section.tsx';
import { useStreetDetail } from './detail/use-street-detail.ts';
import { MapCanvas } from './map-canvas.tsx';
import { MapSources } from './map-sources.tsx';
import { PlaceList } from './place-list.tsx';
import { PlaceRecords } from './place-records.tsx';
import { TimeInterval } from './time-interval.tsx';
import { type MapCluster, useMapView } from './use-map-view.ts';

const texts = m.charts.map;

interface MapChartProps {
  endpoint: string;
  chart: ResolvedChart & { field: Field };
  view: ChartView;
  /** Undefined for a map without controls. */
  change: ((change: Partial<ChartView>) => void) | undefined;
  revision: string;
  frame: ChartFrame;
}

export function MapChart(props: MapChartProps) {
  const { endpoint, chart, revision } = props;
  const { field, second, time } = chart;
  const request: MapRequest = {
    endpoint,
    ...(second === undefined ? { geometry: field.path } : { latitude: field.path, longitude: second.path }),
    time: time?.path,
    format: time?.timeFormat,
  };
  const extent = useQuery(mapExtent(request, revision));
  if (extent.isPending || extent.isError) return <QueryBoundary query={extent} rows={8} height={32} />;
  return <MapOfRecords {...props} request={request} extent={extent.data} />;
}

interface MapOfRecordsProps extends MapChartProps {
  request: MapRequest;
  extent: MapExtent;
}

const NO_CLUSTERS: MapClusters['clusters'] = [];
const WORLD: MapBounds = { west: -180, south: -60, east: 180, north: 75 };

function MapOfRecords({ request, extent, chart, view, change, revision, frame }: MapOfRecordsProps) {
  const { field, second, time, title } = chart;
  const fullBounds = extent.bounds ?? WORLD;
  const { ref, target, area, selectedPlace, ...map } = useMapView(fullBounds);
  const interval = time === undefined ? {} : { from: view.from, to: view.to };
  const selection: MapRequest = { ...request, ...interval };
  const clusters = useQuery({
    ...mapClusters(selection, area, title?.path, revision),
    enabled: extent.bounds !== null,
  });
  const connect = view.connect && time !== undefined;
  const hasLines = second === undefined || connect;
  const lines = useQuery({ ...mapLines(selection, area, revision), enabled: hasLines && extent.bounds !== null });
  const shownClusters = clusters.data?.clusters ?? NO_CLUSTERS;
  const figureTitle = texts.title(extent.records);
  const isStatic = frame.location === 'home';
  const street = useStreetDetail();

  const openCluster = (cluster: MapCluster) => {
    if (frame.location !== 'home') map.openCluster(cluster, frame.onOpen);
  };
  const list = (
    <PlaceList
      clusters={clusters.data?.clusters}
      onOpen={openCluster}
      onReset={map.showAll}
      isCurrent={!clusters.isPlaceholderData}
    />
  );
  return (
    <div ref={ref}>
      <ChartFigure
        frame={frame}
        settings={{
          kind: 'map',
          field: field.path,
          second: second?.path,
          time: time?.path,
          connect,
          ...interval,
        }}
        title={figureTitle}
        summary={figureTitle}
        notes={[
          ...(extent.excluded === 0 ? [] : [texts.noPosition(extent.excluded, extent.records + extent.excluded)]),
          ...(hasLines && lines.data?.isComplete === false ? [texts.linesCut] : []),
        ]}
        table={{ drawing: 'map', isEmpty: extent.bounds === null, emptyText: texts.empty, list }}
      >
        <MapCanvas
          target={target}
          clusters={shownClusters}
          lines={hasLines ? lines.data?.lines : undefined}
          detail={street.detail}
          isLoading={clusters.isFetching || lines.isFetching}
          label={texts.label(figureTitle)}
          isStatic={isStatic}
          onArea={map.setArea}
          onMove={map.keepTarget}
          onCluster={openCluster}
          onDetailError={street.onTileError}
          onReset={map.showAll}
          list={list}
        />
      </ChartFigure>
      {clusters.isError && <LoadError error={clusters.error} retry={() => void clusters.refetch()} />}
      {lines.isError && <LoadError error={lines.error} retry={() => void lines.refetch()} />}
      {selectedPlace !== undefined && frame.location === 'page' && (
        <PlaceRecords
          request={selection}
          place={selectedPlace}
          titleField={title}
          revision={revision}
          onOpen={frame.onOpen}
          onClose={map.closePlace}
        />
      )}
      {change !== undefined && extent.times !== null && (
        <TimeInterval
          times={extent.times}
          from={view.from}
          to={view.to}
          onChange={(from, to) => change({ from, to })}
        />
      )}
      {!isStatic && extent.bounds !== null && <DetailSection state={street} />}
      {extent.bounds !== null && <MapSources isStatic={isStatic} detail={street.detail} />}
    </div>
  );
}

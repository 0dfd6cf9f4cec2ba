/** The part of d3-geo-projection that the project uses. The package ships without types. */
declare module 'd3-geo-projection' {
  import type { GeoProjection } from 'd3-geo';
  import type { FeatureCollection, Geometry } from 'geojson';
  /**
   * Projects a shape and cuts it at the antimeridian.
   * @param shape longitudes and latitudes in degrees, with edges along great circles
   */
  export function geoProject<Shape extends Geometry | FeatureCollection>(
    shape: Shape,
    projection: GeoProjection,
  ): Shape;
}

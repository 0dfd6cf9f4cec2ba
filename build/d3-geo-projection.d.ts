/** The part of d3-geo-projection that is used here. The package ships without types. */
declare module 'd3-geo-projection' {
  import type { GeoProjection } from 'd3-geo';
  import type { FeatureCollection, Geometry } from 'geojson';
  /**
   * Projects a shape of GeoJSON and cuts it at the antimeridian.
   *
   * @param shape positions as longitude and latitude in degrees, with edges along great circles
   * @returns the shape in the coordinates of the projection
   */
  export function geoProject<Shape extends Geometry | FeatureCollection>(
    shape: Shape,
    projection: GeoProjection,
  ): Shape;
}

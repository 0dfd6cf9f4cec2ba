/** Module that `build/map-background.ts` creates while the dashboard is built. */
declare module 'virtual:map-background' {
  type Position = number[];

  /** Outlines and names that maps show without a tile server. Positions are longitude and latitude in degrees. */
  export interface MapBackground {
    /** Polygons of all land, as in a GeoJSON MultiPolygon. */
    land: Position[][][];
    /** Country borders, as in a GeoJSON MultiLineString. */
    borders: Position[][];
    /** Countries by area, the largest first, with their two-letter codes of ISO 3166-1. */
    countries: { code: string; position: Position }[];
    /** Cities by population, the largest first. */
    cities: { name: string; population: number; position: Position }[];
  }

  const background: MapBackground;
  export default background;
}

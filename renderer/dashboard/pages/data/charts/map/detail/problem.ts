/**
 * Why street detail cannot be drawn:
 * `notMapFile`: not PMTiles, or not readable as such; `incomplete`: shorter than its header says;
 * `unsupported`: a version, compression or tile type that the map cannot draw;
 * `unknownSchema`: vector tiles with layers that have no style here;
 * `damaged`: a part is not readable; `changed`: the file was replaced or is missing;
 * `unreachable`: the PDA does not respond; `deleted`: the owner deleted the file.
 */
export type DetailProblem =
  | 'notMapFile'
  | 'incomplete'
  | 'unsupported'
  | 'unknownSchema'
  | 'damaged'
  | 'changed'
  | 'unreachable'
  | 'deleted';

/** Error with the reason why a map file cannot be read. */
export class DetailError extends Error {
  override readonly name = 'DetailError';
  readonly problem: DetailProblem;

  constructor(problem: DetailProblem) {
    super(problem);
    this.problem = problem;
  }
}

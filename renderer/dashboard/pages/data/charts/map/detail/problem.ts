/**
 * Reason why street detail cannot be drawn:
 * `notMapFile`: not readable as PMTiles; `incomplete`: shorter than its header says;
 * `unsupported`: a version, compression or tile type that the map cannot draw;
 * `unknownSchema`: vector tiles with unknown layers;
 * `damaged`: a part is not readable; `changed`: the file was replaced or is missing;
 * `unreachable`: the PDA does not send the content; `deleted`: the owner deleted the file.
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

export class DetailError extends Error {
  override readonly name = 'DetailError';
  readonly problem: DetailProblem;

  constructor(problem: DetailProblem) {
    super(problem);
    this.problem = problem;
  }
}

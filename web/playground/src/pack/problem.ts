/** Why a model is not packed. Each kind is explained in session/explain.ts. */
export class PackProblem extends Error {
  override readonly name = 'PackProblem';

  constructor(
    readonly kind: PackProblemKind,
    message: string,
  ) {
    super(message);
  }
}

export type PackProblemKind =
  'packed already' | 'nothing to pack' | 'other files' | 'inner files' | 'larger' | 'too large' | 'damaged';

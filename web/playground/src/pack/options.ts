// How a model is packed, and the words for it that `onnxlet pack` understands.
export interface PackOptions {
  readonly bits: 4 | 8;
  /** Weights of a row that share a scale. */
  readonly block: 16 | 32 | 64 | 128 | 256;
  /** Without zero points. */
  readonly symmetric: boolean;
  /** Products may round their other operand to 8 bits, which is faster. */
  readonly roundsInputs: boolean;
  /** What has no form with blocks is stored with 8 bits and a scale per output channel. */
  readonly convolutions: boolean;
}

export const BLOCKS = [16, 32, 64, 128, 256] as const;
export const USUAL: PackOptions = { bits: 8, block: 32, symmetric: true, roundsInputs: false, convolutions: true };

/** Of onnxlet/packing/config.py: the same choice on a command line. */
export function schemeText({ bits, block, symmetric, roundsInputs }: PackOptions): string {
  const usualBlock = bits === 4 ? 32 : 0;
  const parts = [
    'method=rtn',
    ...(block === usualBlock ? [] : [`block=${block}`]),
    ...(symmetric ? [] : ['symmetric=false']),
    'form=nbits',
    ...(roundsInputs ? ['accuracy_level=4'] : []),
  ];
  return `int${bits}:${parts.join(',')}`;
}

export const PER_CHANNEL = 'int8:method=rtn';

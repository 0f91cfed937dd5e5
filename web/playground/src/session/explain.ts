// What went wrong, for somebody who has never seen ONNX: what it is, what to do next, and the engine's own words.
import { OnnxletError } from 'onnxlet';
import { Problem } from '../../../../edge/js/shared/interface.js';
import { NotAModel } from '../model/read.js';
import { WrongPackage } from '../onnxruntime/package.js';
import { PeerFailed } from '../onnxruntime/session.js';
import type { PackProblemKind } from '../pack/problem.js';
import { PackProblem } from '../pack/problem.js';

export interface Explanation {
  readonly title: string;
  /** What to do. */
  readonly advice: string;
  /** The engine's own words, where there are some. */
  readonly details?: string;
}

const GPU_LOST = /the device: |device was lost|GPU/;

export function explain(error: unknown, name = 'The model'): Explanation {
  const details = error instanceof Error ? error.message : String(error);
  if (error instanceof NotAModel) {
    return {
      title: `${name} cannot be read as an ONNX model`,
      advice: 'Download or export it again, and check that its size is what it should be.',
      details: `What is wrong: ${details}.`,
    };
  }
  if (error instanceof DOMException && (error.name === 'NotReadableError' || error.name === 'NotFoundError')) {
    return {
      title: `${name} can no longer be read`,
      advice: 'The file was moved, changed or is too large for the browser to hold. Choose it again.',
      details,
    };
  }
  if (error instanceof PackProblem) return { ...packing(error.kind, name), details };
  if (error instanceof WrongPackage) return { title: 'onnxruntime-web cannot be used', advice: details };
  if (error instanceof PeerFailed) {
    return {
      title: `onnxruntime-web does not run ${name}`,
      advice: 'onnxlet is measured all the same. What onnxruntime-web says stands below.',
      details,
    };
  }
  if (error instanceof Problem) return { title: 'Something is missing or does not fit', advice: details };
  if (error instanceof RangeError) return tooLarge(name, details);
  if (error instanceof OnnxletError) return explainCode(error, name);
  return { title: 'Something unexpected went wrong', advice: 'Reload the page and try again.', details };
}

function explainCode({ code, message }: OnnxletError, name: string): Explanation {
  const details = message;
  if (GPU_LOST.test(message) && code === 'RUN_FAILED') {
    return {
      title: 'The GPU went away while the model ran',
      advice:
        'Browsers reset a GPU that is busy for too long, or when a driver restarts. Run again: it gets a new one.',
      details,
    };
  }
  switch (code) {
    case 'OUT_OF_MEMORY':
      return tooLarge(name, details);
    case 'NOT_IMPLEMENTED':
      return {
        title: `${name} uses something that onnxlet does not have`,
        advice:
          'The list below names every operator or type concerned. Exporting with another opset version often avoids them.',
        details,
      };
    case 'INVALID_GRAPH':
    case 'INVALID_ARGUMENT':
      return {
        title: code === 'INVALID_GRAPH' ? `${name} breaks a rule of ONNX` : 'An input does not fit the model',
        advice:
          code === 'INVALID_GRAPH'
            ? 'Whoever exported it can tell: the rule and the place are below.'
            : 'Compare its shape and type with what the model asks for, and change the sizes above the run button.',
        details,
      };
    case 'RUN_FAILED':
      return {
        title: 'The model stopped while it ran',
        advice: 'Most often the sizes of the inputs do not go together. Change them and run again.',
        details,
      };
    case 'TRAP':
      return {
        title: 'The engine stopped',
        advice: 'That is a mistake of onnxlet, not yours. The next run starts a new engine; please report the model.',
        details,
      };
    case 'NO_SUCH_FILE':
      return {
        title: `${name} keeps its weights in another file`,
        advice: 'Drop the .onnx file and its data files together, all at once.',
        details,
      };
    default:
      return { title: `${name} could not be loaded`, advice: 'Reload the page and try again.', details };
  }
}

function packing(kind: PackProblemKind, name: string): Explanation {
  switch (kind) {
    case 'packed already':
      return {
        title: `${name} is packed already`,
        advice:
          'Its weights are quantized: packing them again would only lose more. Open the float model it was made from.',
      };
    case 'nothing to pack':
      return {
        title: `${name} has nothing to pack here`,
        advice:
          'No node has weights of float32 that would become smaller. Other forms, such as float16: onnxlet pack model.onnx -o small.onnx --scheme fp16.',
      };
    case 'other files':
      return {
        title: `${name} keeps its weights in another file`,
        advice: 'Drop the .onnx file and its data files together, all at once, and pack again.',
      };
    case 'inner files':
      return {
        title: `${name} keeps weights of a graph inside a node in another file`,
        advice: 'The page cannot bring them into one file. Use the command: onnxlet pack model.onnx -o small.onnx.',
      };
    case 'larger':
      return {
        title: `${name} would not become smaller`,
        advice: 'There is nothing to save. Larger blocks or fewer bits take less; its weights are a small part of it.',
      };
    case 'too large':
      return {
        title: `${name} is too large for one file`,
        advice:
          'An .onnx file ends at 2 GB. Use the command, which writes the weights beside it: onnxlet pack model.onnx -o small.onnx.',
      };
    case 'damaged':
      return {
        title: `${name} is damaged`,
        advice: 'A weight has not the bytes that its shape asks for. Download or export the model again.',
      };
  }
}

function tooLarge(name: string, details: string): Explanation {
  return {
    title: `${name} is too large for this page`,
    advice:
      'A page has 4 GB at most, for weights and everything between them. Try smaller inputs, or a packed model: onnxlet pack model.onnx -o small.onnx.',
    details,
  };
}

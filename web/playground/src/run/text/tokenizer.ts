// From texts to the numbers of tokens: a model of one operator, which the engine with preprocessing runs.
import type { InferenceSession } from 'onnxlet';
import { Tensor } from 'onnxlet';
import { Problem } from '../../../../../edge/js/shared/interface.js';
import { field, joined, numberField, textField } from '../../model/wire.js';
import { openPreprocessing } from '../../session/engine.js';

export interface Tokens {
  /** int64 [texts, longest] */
  readonly ids: Tensor;
  /** int64 of the same shape: 0 where a text is filled up. */
  readonly mask: Tensor;
}

const opened = new WeakMap<File, Promise<InferenceSession>>();

/** Throws Problem for a file that is no tokenizer.json. */
export async function tokenize(tokenizer: File, texts: readonly string[]): Promise<Tokens> {
  const session = opened.get(tokenizer) ?? open(tokenizer);
  opened.set(tokenizer, session);
  session.catch(() => opened.delete(tokenizer));
  const { ids, mask } = await (await session).run({ texts: new Tensor('string', [...texts], [texts.length]) });
  return { ids: ids as Tensor, mask: mask as Tensor };
}

async function open(tokenizer: File): Promise<InferenceSession> {
  const document = parsed(await tokenizer.text(), tokenizer.name);
  // Rows are as long as the longest text, whatever length the file was saved with.
  const description = JSON.stringify({ ...document, padding: null });
  return openPreprocessing(new Blob([modelOf(description)]));
}

function parsed(text: string, name: string): object {
  const refusal = `${name} is not the tokenizer.json of the tokenizers library, which lies beside most models.`;
  try {
    const document = JSON.parse(text) as { model?: { type?: unknown } } | null;
    if (typeof document?.model?.type === 'string') return document;
  } catch (cause) {
    throw new Problem(refusal, { cause });
  }
  throw new Problem(refusal);
}

const DOMAIN = 'ai.onnx.contrib';
const IR_VERSION = 8;
const OPSET = 17;
const STRING_ELEMENTS = 8;
const STRING_ATTRIBUTE = 3;

/** A model from `texts`, string [n], to `ids` and `mask`. Field numbers are those of onnx.proto. */
function modelOf(description: string): Uint8Array<ArrayBuffer> {
  const attribute = (name: string, text: string) =>
    joined([textField(1, name), textField(4, text), numberField(20, STRING_ATTRIBUTE)]);
  const node = joined([
    ...[textField(1, 'texts'), textField(2, 'ids'), textField(2, 'mask'), textField(4, 'HfJsonTokenizer')],
    ...[field(5, attribute('tokenizer_config', '{}')), field(5, attribute('tokenizer_vocab', description))],
    textField(7, DOMAIN),
  ]);
  const shape = field(1, textField(2, 'n'));
  const type = field(1, joined([numberField(1, STRING_ELEMENTS), field(2, shape)]));
  const graph = joined([
    ...[field(1, node), textField(2, 'tokenizer')],
    ...[field(11, joined([textField(1, 'texts'), field(2, type)]))],
    ...['ids', 'mask'].map((name) => field(12, textField(1, name))),
  ]);
  const opset = (domain: string, version: number) => field(8, joined([textField(1, domain), numberField(2, version)]));
  return joined([numberField(1, IR_VERSION), field(7, graph), opset('', OPSET), opset(DOMAIN, 1)]);
}

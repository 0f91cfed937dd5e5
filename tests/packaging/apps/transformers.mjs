// Transformers.js on onnxlet, with models of its own origin only.
import { env, pipeline, RawImage } from '@huggingface/transformers';

env.allowRemoteModels = false;
env.allowLocalModels = true;

const PIPELINES = {
  async features() {
    const extract = await pipeline('feature-extraction', 'minilm', { dtype: 'fp32' });
    const sentences = ['A man is eating food.', 'Someone is having a meal.', 'The girl plays the violin.'];
    const output = await extract(sentences, { pooling: 'mean', normalize: true });
    await extract.dispose();
    return { dims: output.dims, data: Array.from(output.data) };
  },
  async text() {
    const generate = await pipeline('text-generation', 'smollm', { dtype: 'fp32' });
    const question = { role: 'user', content: 'What is the capital of France?' };
    const [{ generated_text: chat }] = await generate([question], { max_new_tokens: 24, do_sample: false });
    await generate.dispose();
    return chat.at(-1).content;
  },
  async digits(images) {
    const classify = await pipeline('image-classification', 'digits', { dtype: 'fp32' });
    const labels = [];
    for (const pixels of images) {
      const [{ label }] = await classify(new RawImage(Uint8ClampedArray.from(pixels), 8, 8, 1), { top_k: 1 });
      labels.push(label);
    }
    await classify.dispose();
    return labels;
  },
};

/** @param settings { models, names, images } */
export async function run({ models, names, images }) {
  const warnings = [];
  const { warn } = console;
  console.warn = (text) => warnings.push(String(text));
  try {
    env.localModelPath = models;
    const { onnx } = env.backends;
    onnx.wasm.numThreads = 2;
    const results = {};
    for (const name of names) results[name] = await PIPELINES[name](images);
    return { results, engine: onnx.versions.onnxlet, warnings };
  } finally {
    console.warn = warn;
  }
}

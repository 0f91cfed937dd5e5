// Newer versions of Node load modules by require, too.
const { InferenceSession } = require('onnxlet');
const { infer } = require('./infer.mjs');

if (typeof InferenceSession.create !== 'function') throw new Error('no InferenceSession');
infer('model.onnx', 2).then((answer) => console.log(JSON.stringify(answer)));

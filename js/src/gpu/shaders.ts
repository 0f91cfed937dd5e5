// The shaders, by the names that the engine calls them.
import attention from '../../../web/shaders/attention.wgsl';
import batch_norm from '../../../web/shaders/batch_norm.wgsl';
import best from '../../../web/shaders/best.wgsl';
import conv from '../../../web/shaders/conv.wgsl';
import conv_depthwise from '../../../web/shaders/conv_depthwise.wgsl';
import conv_pack from '../../../web/shaders/conv_pack.wgsl';
import conv_transpose from '../../../web/shaders/conv_transpose.wgsl';
import copy from '../../../web/shaders/copy.wgsl';
import each from '../../../web/shaders/each.wgsl';
import functions from '../../../web/shaders/functions.wgsl';
import grid from '../../../web/shaders/grid.wgsl';
import groups from '../../../web/shaders/groups.wgsl';
import int_pack from '../../../web/shaders/int_pack.wgsl';
import int_product from '../../../web/shaders/int_product.wgsl';
import lrn from '../../../web/shaders/lrn.wgsl';
import map from '../../../web/shaders/map.wgsl';
import matmul from '../../../web/shaders/matmul.wgsl';
import nbits from '../../../web/shaders/nbits.wgsl';
import norm from '../../../web/shaders/norm.wgsl';
import pick from '../../../web/shaders/pick.wgsl';
import pool from '../../../web/shaders/pool.wgsl';
import quantize from '../../../web/shaders/quantize.wgsl';
import range from '../../../web/shaders/range.wgsl';
import recurrent from '../../../web/shaders/recurrent.wgsl';
import resample from '../../../web/shaders/resample.wgsl';
import rows from '../../../web/shaders/rows.wgsl';
import scan from '../../../web/shaders/scan.wgsl';
import scatter from '../../../web/shaders/scatter.wgsl';
import tokens from '../../../web/shaders/tokens.wgsl';
import types from '../../../web/shaders/types.wgsl';
import wide from '../../../web/shaders/wide.wgsl';
import { OnnxletError } from '../errors.js';
import { expand } from './template.js';

const TEMPLATES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    attention,
    batch_norm,
    best,
    conv,
    conv_depthwise,
    conv_pack,
    conv_transpose,
    copy,
    grid,
    int_pack,
    int_product,
    lrn,
    map,
    matmul,
    nbits,
    norm,
    pick,
    pool,
    quantize,
    range,
    recurrent,
    resample,
    rows,
    scan,
    scatter,
    tokens,
  }),
);
/** What they include. */
const PARTS: ReadonlyMap<string, string> = new Map(Object.entries({ each, functions, groups, types, wide }));

/** WGSL of a pipeline's text: "shader NAME=VALUE NAME=VALUE". */
export function shaderSource(pipeline: string): string {
  const [name = '', ...settings] = pipeline.split(' ');
  const template = TEMPLATES.get(name);
  if (template === undefined) throw new OnnxletError('INTERNAL', `there is no shader ${name}`);
  const constants = settings.map((setting): [string, string] => {
    const at = setting.indexOf('=');
    return [setting.slice(0, at), setting.slice(at + 1)];
  });
  return expand(
    template.replaceAll(/^\/\/:include (\w+)$/gm, (_, part: string) => partOf(part)),
    new Map(constants),
  );
}

function partOf(name: string): string {
  const part = PARTS.get(name);
  if (part === undefined) throw new OnnxletError('INTERNAL', `there is no shader ${name} to include`);
  return part;
}

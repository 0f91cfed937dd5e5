import { nodeResolve } from '@rollup/plugin-node-resolve';

export default { input: 'page.mjs', output: { dir: 'dist', format: 'es' }, plugins: [nodeResolve({ browser: true })] };

import js from '@eslint/js';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/', 'build/', '**/*.gen.ts', '**/*.mjs', '*.js', 'test/programs/'] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        // The runner awaits what `test` returns.
        { allowForKnownSafeCalls: [{ from: 'package', name: ['test', 'before', 'after'], package: 'node:test' }] },
      ],
      // InferenceSession is a class and a namespace of its option types, as in onnxruntime-common.
      '@typescript-eslint/no-namespace': 'off',
      // Messages are made of numbers all the time.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
    },
  },
);

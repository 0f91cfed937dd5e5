import rules from '../../js/eslint.config.js';

export default [
  { ignores: ['node_modules/', 'vite.config.ts'] },
  ...rules,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    // Handlers of events.
    rules: { '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }] },
  },
];

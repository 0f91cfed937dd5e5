export { default } from '../../js/eslint.config.js';

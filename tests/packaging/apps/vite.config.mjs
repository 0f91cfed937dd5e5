export default { base: './', logLevel: 'warn', build: { target: 'esnext' } };

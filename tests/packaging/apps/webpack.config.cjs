module.exports = { mode: 'production', entry: './page.mjs', output: { path: `${__dirname}/dist` }, performance: false };

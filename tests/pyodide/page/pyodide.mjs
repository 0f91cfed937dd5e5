// Starts Pyodide, installs onnxlet and calls functions of inside.py. Used by the page itself and by its worker.

/**
 * `core`: the folder with Pyodide's files; `helpers`: addresses of the wheels that micropip consists of; `wheel`: that
 * of onnxlet; `inside`: that of inside.py; `env`: environment variables.
 */
export async function start({ core, helpers, wheel, inside, env }) {
  const { loadPyodide } = await import(`${core}/pyodide.mjs`);
  const pyodide = await loadPyodide({ env });
  const silent = { messageCallback: () => undefined };
  await pyodide.loadPackage(helpers, silent);
  const micropip = pyodide.pyimport('micropip');
  await micropip.install(new URL(wheel, location.origin).href);
  pyodide.FS.writeFile('inside.py', await (await fetch(inside)).text());
  pyodide.runPython('import inside');
  // Arguments and results are JSON.
  const ask = (interpret) => async (name, argument) => {
    pyodide.globals.set('argument', JSON.stringify(argument ?? null));
    return JSON.parse(await interpret(name));
  };
  return {
    /** In code that may wait for promises. */
    call: ask((name) => pyodide.runPythonAsync(`await inside.call('${name}', argument)`)),
    /** In code that may not. */
    callSync: ask((name) => pyodide.runPython(`inside.call_sync('${name}', argument)`)),
  };
}

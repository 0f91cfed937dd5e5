"""onnxlet in Pyodide: the built wheel in headless Chromium, served from this machine only."""

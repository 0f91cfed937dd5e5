"""What a bundle for Pyodide is made from."""

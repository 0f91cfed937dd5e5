"""`python -m onnxlet` is the command line."""

from .cli import main

main()

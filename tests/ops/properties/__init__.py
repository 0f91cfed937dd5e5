"""The properties of every operator, a module per family."""

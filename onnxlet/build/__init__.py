"""Building the engine: generated tables, flavours, size checks. Importing it needs nothing but the standard library."""

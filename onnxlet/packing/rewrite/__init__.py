"""The forms that packed layers take in the model, one module each."""

"""The playground in Chromium, as a user would use it."""

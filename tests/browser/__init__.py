"""The JavaScript package in Chromium."""

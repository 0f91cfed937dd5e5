"""The JavaScript package in Node."""

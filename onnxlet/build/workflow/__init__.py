"""What ./build.sh does once its Python environment is there. Works on the source tree, not on an installed package."""

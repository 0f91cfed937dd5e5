"""The program inside a bundle for Python: checks the bundle, reads what it is given, and prints the model's answer.

Until the check is done it takes nothing but the standard library and the modules of this package that do no more; numpy
is never used.
"""

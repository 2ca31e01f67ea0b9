"""The study of guarantees: does every interval cover what its target names? ``make guarantees`` runs it.

``python -m frtaudit.testing.study --help`` says how to run it smaller, larger or elsewhere.
"""

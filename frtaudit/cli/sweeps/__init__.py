"""A sweep: one audit under several settings, each a job in a folder of its own, and the table of them all.

What will run stands in :mod:`plan`; where a job's files are and whether it is done, in :mod:`jobs`; what the finished
jobs say together, in :mod:`table`.
"""

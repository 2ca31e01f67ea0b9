"""The machine: files, names of files, signals, faults, progress."""

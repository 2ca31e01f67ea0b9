"""The publishable variant of a result: what it withholds, so that no small class of people can be counted."""

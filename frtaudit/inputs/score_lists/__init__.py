"""Score lists and tables of attempts: from lines of a file to comparisons and the people who stand in them."""

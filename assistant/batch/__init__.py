"""Many questionnaires: rows in, one result each in input order, bad rows reported while the others go on."""

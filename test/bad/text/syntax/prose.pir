This is no program.

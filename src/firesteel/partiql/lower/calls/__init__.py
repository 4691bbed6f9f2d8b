"""What the name of a call means: which function it is (`resolve`), and the names that other databases have
(`familiar_names`)."""

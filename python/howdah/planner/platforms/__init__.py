"""How one host is divided into workers: the possible platforms, the sizes of workers, pros and cons."""

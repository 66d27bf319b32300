"""How one host is divided into workers: what is possible, how large they are and what speaks for each."""

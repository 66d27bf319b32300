"""What each kind of work says of a platform."""

"""What is predicted, as a page: times, changes, growth, and how right it was."""

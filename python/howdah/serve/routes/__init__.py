"""What the server answers: for each subject its pages and its part of the API."""

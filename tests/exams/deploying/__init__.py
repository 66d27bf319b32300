"""Steps of the exam on deployments, a module for each of its parts."""

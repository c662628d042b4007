"""Cost records in the columns of FOCUS 1.2, the FinOps Open Cost and Usage Specification."""

"""The figures of two white papers, each with a verdict that this installation recomputes."""

"""Figures as people have them: accepted where they mean one thing, else refused with row and column."""

"""Scenes: generated meshes, the static world, the state of one tick and what is drawn of it."""

"""`foveal tco`, `price`, `meter`, `claims` and `export`."""

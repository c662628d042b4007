"""CARLA: the client side of a drive. Only modules that talk to a server import the `carla` package."""

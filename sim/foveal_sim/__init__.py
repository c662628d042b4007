"""Simulated counterparts: the co-simulated card and the CARLA-protocol world server."""

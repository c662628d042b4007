"""For these tests: an example of a property may take as long as it does; some compile, and machines are busy."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

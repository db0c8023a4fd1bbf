"""The campaigns of `scripts/assault`: each module attacks the release binary in one way."""

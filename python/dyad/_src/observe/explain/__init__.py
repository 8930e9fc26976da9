"""What the static graph tells about itself: its graphs, and why they are what they are."""
